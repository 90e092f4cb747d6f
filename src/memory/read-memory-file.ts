import { lstat, readFile, stat } from 'node:fs/promises';
import { fileErrorReason } from '../util/index.ts';
import { hasConflictMarkers } from './change-memory.ts';
import { type MemoryText, parseMemory } from './memory-text.ts';

/** A memory has a few thousand characters; a larger file was put there by mistake. */
const MAX_FILE_SIZE = 1024 * 1024;

/** A memory file: missing, its text, or why it cannot be used. `bytes` is exactly what was read. */
export type MemoryFile = { bytes: Buffer | undefined } & ({ text: MemoryText } | { unusable: string });

export async function readMemoryFile(file: string): Promise<MemoryFile> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return unusable(found.isDirectory() ? 'is a folder' : 'is not a regular file');
    if (found.size > MAX_FILE_SIZE) return unusable(tooLarge(found.size));
    return decodeMemory(await readFile(file));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return (await checkBrokenLink(file)) ?? { bytes: undefined, text: parseMemory('') };
    return unusable(`cannot be read: ${fileErrorReason(thrown)}`);
  }
}

export function decodeMemory(bytes: Buffer): MemoryFile {
  if (bytes.length > MAX_FILE_SIZE) return { bytes, unusable: tooLarge(bytes.length) };
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { bytes, unusable: 'is not valid UTF-8' };
  }
  return { bytes, text: parseMemory(content) };
}

/** Why the file must not be changed before the user has fixed it; undefined if it can be changed. */
export function findChangeBlocker(file: MemoryFile): string | undefined {
  if ('unusable' in file) return file.unusable;
  const content = file.text.pieces.join('\n');
  return hasConflictMarkers(content) ? 'contains merge conflict markers (<<<<<<<)' : undefined;
}

async function checkBrokenLink(file: string): Promise<MemoryFile | undefined> {
  const link = await lstat(file).catch(() => undefined);
  return link === undefined ? undefined : unusable('is a broken symbolic link');
}

function tooLarge(bytes: number): string {
  return `has ${bytes} bytes, which is too large for a memory file`;
}

function unusable(reason: string): MemoryFile {
  return { bytes: undefined, unusable: reason };
}
