import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { changeFile, redactSecrets, writeFileAtomic } from '../../../util/index.ts';
import { dirname } from 'node:path';
import { parseJson } from '../../../base/index.ts';

/** The input lines of this and earlier chats, including those that run at the same time. */
export interface InputHistory {
  /** Oldest first. */
  load(): readonly string[];
  add(text: string): void;
}

/** The number of entries that are kept. The file may exceed it by `SLACK` entries before it is shortened. */
const MAX_ENTRIES = 1000;
const EXTRA_ENTRIES = 500;
/** Only the end of a larger file is read. */
const MAX_BYTES = 16_000_000;
/** Longer texts were pasted and are not stored. */
const MAX_ENTRY_LENGTH = 10_000;

/**
 * Stores one JSON string per line. Each entry is appended in a single write, so that several chats can share the
 * file. Entries that look like secrets are not stored. Errors are ignored: without a file there is no history. Access
 * is synchronous, because the first key press may need the history and the process may exit right after the last
 * line.
 */
export function createInputHistory(file: string): InputHistory {
  let newest: string | undefined;
  return {
    load() {
      const { entries, isCut } = readEntries(file);
      newest = entries.at(-1);
      if (isCut || entries.length > MAX_ENTRIES + EXTRA_ENTRIES) void shorten(file).catch(() => undefined);
      return entries.slice(-MAX_ENTRIES);
    },
    add(text) {
      const entry = text.trim();
      if (entry === '' || entry === newest || entry.length > MAX_ENTRY_LENGTH || redactSecrets(entry) !== entry) return;
      newest = entry;
      append(file, `${JSON.stringify(entry)}\n`);
    },
  };
}

function append(file: string, line: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, line, { mode: 0o600 });
  } catch {
    // The disk is full or the home directory is read-only: the entry is lost when the chat ends.
  }
}

/** Skips lines that are damaged or that another program wrote. */
function readEntries(file: string): { entries: string[]; isCut: boolean } {
  const { text, isCut } = readEnd(file);
  const entries = text.split('\n').flatMap((line) => {
    const entry = line === '' ? undefined : parseJson(line);
    return typeof entry === 'string' && entry.trim() !== '' ? [entry] : [];
  });
  return { entries, isCut };
}

function readEnd(file: string): { text: string; isCut: boolean } {
  try {
    const opened = openSync(file, 'r');
    try {
      const { size } = fstatSync(opened);
      const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
      const read = readSync(opened, bytes, 0, bytes.length, size - bytes.length);
      return { text: bytes.toString('utf8', 0, read), isCut: size > MAX_BYTES };
    } finally {
      closeSync(opened);
    }
  } catch {
    return { text: '', isCut: false };
  }
}

/**
 * Takes a lock, so that only one of several chats shortens the file, and reads it again for entries that were added
 * meanwhile. Chats append without the lock, so what was appended to the old file in the meantime is added to the new
 * one.
 */
async function shorten(file: string): Promise<void> {
  await changeFile(file, async () => {
    const old = openSync(file, 'r');
    try {
      const { size } = fstatSync(old);
      const { entries, isCut } = readEntries(file);
      if (!isCut && entries.length <= MAX_ENTRIES) return;
      const kept = entries.slice(-MAX_ENTRIES).map((entry) => `${JSON.stringify(entry)}\n`);
      await writeFileAtomic(file, kept.join(''), { mode: 0o600 });
      const added = readFrom(old, size);
      if (added !== '') append(file, added);
    } finally {
      closeSync(old);
    }
  });
}

function readFrom(descriptor: number, offset: number): string {
  const bytes = Buffer.alloc(fstatSync(descriptor).size - offset);
  return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, offset));
}
