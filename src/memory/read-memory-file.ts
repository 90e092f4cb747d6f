import { lstat, readFile, stat } from 'node:fs/promises';
import { hasConflictMark } from './change-memory.ts';
import { type MemoryText, parseMemory } from './memory-text.ts';

/** A memory is a few thousand characters; what is larger was put there by mistake. */
const MAX_FILE_SIZE = 1024 * 1024;

/** A file as it is: nothing there, its text, or why it cannot be used. `bytes` are exactly what was read. */
export type MemoryFile = { bytes: Buffer | undefined } & ({ text: MemoryText } | { unusable: string });

export async function readMemoryFile(file: string): Promise<MemoryFile> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return unusable(found.isDirectory() ? 'is a folder' : 'is not a regular file');
    if (found.size > MAX_FILE_SIZE) return unusable(tooLarge(found.size));
    return decodeMemory(await readFile(file));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return (await leadsNowhere(file)) ?? { bytes: undefined, text: parseMemory('') };
    return unusable(`cannot be read (${code ?? 'unknown'})`);
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

/** Whether a person has to look at it before anything is changed in it. */
export function whyNotChanged(file: MemoryFile): string | undefined {
  if ('unusable' in file) return file.unusable;
  const content = file.text.pieces.join('\n');
  return hasConflictMark(content) ? 'has the marks of an unfinished merge in it (<<<<<<<)' : undefined;
}

async function leadsNowhere(file: string): Promise<MemoryFile | undefined> {
  const link = await lstat(file).catch(() => undefined);
  return link === undefined ? undefined : unusable('is a link that leads nowhere');
}

function tooLarge(bytes: number): string {
  return `has ${bytes} bytes, more than a memory can have`;
}

function unusable(reason: string): MemoryFile {
  return { bytes: undefined, unusable: reason };
}
