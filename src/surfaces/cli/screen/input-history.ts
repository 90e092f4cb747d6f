import { appendFile, readFile } from 'node:fs/promises';
import { ensurePrivateFolder, redactSecrets, withFileLock, writeFileAtomic } from '../../../util/index.ts';
import { dirname } from 'node:path';
import { parseJson } from '../../../base/index.ts';

/** What was typed in this and earlier chats, also in others that run at the same time. */
export interface InputHistory {
  /** Oldest first. */
  load(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
}

/** So much is kept, and so much more may gather before the file is made shorter. */
const MOST_ENTRIES = 1000;
const SLACK = 500;
/** What is longer was pasted, and nobody looks for it here. */
const LONGEST = 10_000;

/**
 * One line of JSON per entry, appended in one write each, so that several chats can use one file. What looks like a
 * secret is not written down. Nothing of it is worth a failure: without a file there is no history.
 */
export function createInputHistory(file: string): InputHistory {
  let newest: string | undefined;
  return {
    async load() {
      const entries = await readEntries(file);
      newest = entries.at(-1);
      if (entries.length > MOST_ENTRIES + SLACK) await shorten(file).catch(() => undefined);
      return entries.slice(-MOST_ENTRIES);
    },
    async add(text) {
      const entry = text.trim();
      if (entry === '' || entry === newest || entry.length > LONGEST || redactSecrets(entry) !== entry) return;
      newest = entry;
      await append(file, `${JSON.stringify(entry)}\n`).catch(() => undefined);
    },
  };
}

async function append(file: string, line: string): Promise<void> {
  await ensurePrivateFolder(dirname(file));
  await appendFile(file, line, { mode: 0o600 });
}

/** Lines that are damaged, or that another program wrote, are passed over. */
async function readEntries(file: string): Promise<string[]> {
  const content = await readFile(file, 'utf8').catch(() => '');
  return content.split('\n').flatMap((line) => {
    const entry = line === '' ? undefined : parseJson(line);
    return typeof entry === 'string' && entry.trim() !== '' ? [entry] : [];
  });
}

/** Under a lock, so that of two chats that find it too long one does it; read again, for what came meanwhile. */
async function shorten(file: string): Promise<void> {
  await withFileLock(`${file}.lock`, async () => {
    const entries = await readEntries(file);
    if (entries.length <= MOST_ENTRIES) return;
    const kept = entries.slice(-MOST_ENTRIES).map((entry) => `${JSON.stringify(entry)}\n`);
    await writeFileAtomic(file, kept.join(''), { mode: 0o600 });
  });
}
