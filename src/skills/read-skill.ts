import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../base/index.ts';
import { BadSkill, BODY_CHARACTERS, type ParsedSkill, parseSkill } from './front-matter.ts';
import { SKILL_FILE } from './walk-directory.ts';

/** UTF-8 needs at most four bytes per character. */
const MAX_BYTES = 4 * BODY_CHARACTERS;

/** Reads and validates the SKILL.md of a folder. Throws `BadSkill` if it is invalid. */
export async function readSkill(folder: string): Promise<ParsedSkill> {
  return parseSkill(decodeText(readPlainFile(join(folder, SKILL_FILE), MAX_BYTES), SKILL_FILE));
}

/** The bytes of a regular file. Rejects symbolic links, and FIFOs, which would block forever. */
export function readPlainFile(file: string, mostBytes: number): Uint8Array {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new BadSkill('it is not a regular file');
    if (stats.size > mostBytes) throw new BadSkill(`it has ${stats.size} bytes (maximum ${mostBytes})`);
    return readFileSync(descriptor);
  } catch (thrown) {
    if (thrown instanceof BadSkill) throw thrown;
    const isLink = (thrown as NodeJS.ErrnoException).code === 'ELOOP';
    throw new BadSkill(isLink ? 'it is a symbolic link' : `it cannot be read: ${errorMessage(thrown)}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    throw new BadSkill(`${name} is not valid UTF-8`);
  }
  throw new BadSkill(`${name} contains NUL characters, so it is not text`);
}
