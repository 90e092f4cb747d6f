import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';

/** How much of a file is read and judged. */
export const MAX_SCRIPT_BYTES = 64 * 1024;
/** The clock of the file system may be this much behind the clock of the process. */
const CLOCK_TOLERANCE_MS = 20;
const MAX_FILES = 500;

/** The text that files had before the session changed them. */
export interface EarlierTexts {
  /** Called before a tool or a command writes a file. */
  beforeWrite(path: string): void;
  /** Whether a file was changed in this session. Remembers the text of one that was not. */
  note(path: string, text: string, changedMs: number): boolean;
  textOf(path: string): string | undefined;
}

export function createEarlierTexts(since: number): EarlierTexts {
  const texts = new Map<string, string>();
  const note = (path: string, text: string, changedMs: number) => {
    const isChanged = changedMs >= since - CLOCK_TOLERANCE_MS;
    if (!isChanged && !texts.has(path) && texts.size < MAX_FILES) texts.set(path, text);
    return isChanged;
  };
  return {
    beforeWrite(path) {
      const found = texts.has(path) ? undefined : readBeginning(path);
      if (found !== undefined) note(path, found.bytes.toString('utf8'), found.changedMs);
    },
    note,
    textOf: (path) => texts.get(path),
  };
}

export type FileContent = { bytes: Buffer; size: number; changedMs: number; isExecutable: boolean };

/** Reads the beginning of a regular file. Anything that cannot be read is judged like a file that does not exist. */
export function readBeginning(path: string): FileContent | undefined {
  let file: number | undefined;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return undefined;
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.allocUnsafe(Math.min(found.size, MAX_SCRIPT_BYTES));
    const length = readSync(file, bytes, 0, bytes.length, 0);
    // Unlike the time of the last modification, `touch` cannot set the time of the last change back.
    const changedMs = Math.max(found.ctimeMs, found.mtimeMs);
    return { bytes: bytes.subarray(0, length), size: found.size, changedMs, isExecutable: (found.mode & 0o111) !== 0 };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
