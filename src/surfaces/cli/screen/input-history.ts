import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { redactSecrets, withFileLock, writeFileAtomic } from '../../../util/index.ts';
import { dirname } from 'node:path';
import { parseJson } from '../../../base/index.ts';

/** What was typed in this and earlier chats, also in others that run at the same time. */
export interface InputHistory {
  /** Oldest first. */
  load(): readonly string[];
  add(text: string): void;
}

/** So much is kept, and so much more may gather before the file is made shorter. */
const MAX_ENTRIES = 1000;
const SLACK = 500;
/** Where something has made it larger than it could become by itself, its end is enough. */
const MAX_BYTES = 16_000_000;
/** What is longer was pasted, and nobody looks for it here. */
const LONGEST = 10_000;

/**
 * One line of JSON per entry, appended in one write each, so that several chats can use one file. What looks like a
 * secret is not written down. Nothing of it is worth a failure: without a file there is no history. It is a small file,
 * read and written at once: the first key may ask for it, and the last line may be followed by the end.
 */
export function createInputHistory(file: string): InputHistory {
  let newest: string | undefined;
  return {
    load() {
      const { entries, isCut } = readEntries(file);
      newest = entries.at(-1);
      if (isCut || entries.length > MAX_ENTRIES + SLACK) void shorten(file).catch(() => undefined);
      return entries.slice(-MAX_ENTRIES);
    },
    add(text) {
      const entry = text.trim();
      if (entry === '' || entry === newest || entry.length > LONGEST || redactSecrets(entry) !== entry) return;
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
    // A disk that is full, or a home that cannot be written: the line is there as long as the chat is.
  }
}

/** Lines that are damaged, or that another program wrote, are passed over. */
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

/** Under a lock, so that of two chats that find it too long one does it; read again, for what came meanwhile. */
async function shorten(file: string): Promise<void> {
  await withFileLock(`${file}.lock`, async () => {
    const { entries, isCut } = readEntries(file);
    if (!isCut && entries.length <= MAX_ENTRIES) return;
    const kept = entries.slice(-MAX_ENTRIES).map((entry) => `${JSON.stringify(entry)}\n`);
    await writeFileAtomic(file, kept.join(''), { mode: 0o600 });
  });
}
