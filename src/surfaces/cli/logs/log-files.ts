import { watch } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { type LogFilter, matchesFilter, readLogLine } from './log-entry.ts';

const CHUNK = 65_536;

/** The rotated log files and the current one, oldest first. */
export async function listLogFiles(file: string): Promise<string[]> {
  const prefix = `${basename(file)}.`;
  const names = await readdir(dirname(file)).catch((thrown: unknown): string[] => {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  });
  const numbers = names
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
  const older = numbers.toSorted((a, b) => b - a).map((number) => join(dirname(file), `${prefix}${number}`));
  return names.includes(basename(file)) ? [...older, file] : older;
}

/** Reads complete lines of a file, continuing where the last read ended. */
type LineFile = {
  /** The inode, which identifies the file after it was renamed. */
  readonly id: number;
  /** The lines added since the last call. An incomplete line is kept until its end arrives. */
  read(): AsyncGenerator<string>;
  close(): Promise<void>;
};

async function openLines(file: string): Promise<LineFile | undefined> {
  const handle = await open(file, 'r').catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (handle === undefined) return undefined;
  const { ino } = await handle.stat();
  return { id: ino, read: createReader(handle), close: () => handle.close() };
}

function createReader(handle: FileHandle): () => AsyncGenerator<string> {
  const buffer = Buffer.alloc(CHUNK);
  let decoder = new StringDecoder('utf8');
  let position = 0;
  let rest = '';
  return async function* read() {
    // The file was truncated, so everything in it is new.
    if ((await handle.stat()).size < position) [position, rest, decoder] = [0, '', new StringDecoder('utf8')];
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      const lines = (rest + decoder.write(buffer.subarray(0, bytesRead))).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line.trim() !== '');
    }
  };
}

/** The newest lines that match a filter, oldest first, and the number of matching lines before them. */
export async function readLastLines(
  file: string,
  count: number,
  filter: LogFilter,
): Promise<{ lines: string[]; left: number }> {
  let lines: string[] = [];
  let found = 0;
  for (const name of await listLogFiles(file)) {
    const opened = await openLines(name);
    if (opened === undefined) continue;
    try {
      for await (const line of opened.read()) {
        if (!matchesFilter(filter, readLogLine(line))) continue;
        found += 1;
        lines.push(line);
        // Trimmed only now and then, because trimming at every line would take quadratic time.
        if (lines.length > count * 2) lines = lines.slice(-count);
      }
    } finally {
      await opened.close();
    }
  }
  return { lines: lines.slice(-count), left: Math.max(0, found - count) };
}

/** The polling interval, in case the file system reports no changes. */
const POLL_INTERVAL_MS = 1_000;

/**
 * Yields the existing lines of a log, then `CAUGHT_UP`, then new lines as they are written. A rotated file is read to
 * its end before its successors, even if they were renamed.
 */
export async function* followLog(file: string, signal: AbortSignal): AsyncGenerator<string | typeof CAUGHT_UP> {
  const changes = watchFolder(file, signal);
  let current: LineFile | undefined;
  let isFirst = true;
  try {
    for (;;) {
      const others = await newerFiles(file, current?.id);
      if (current !== undefined) yield* current.read();
      for (const name of others) {
        const next = await openLines(name);
        if (next === undefined) continue;
        // The open file may have received more lines or been renamed since the listing.
        if (current !== undefined) yield* current.read();
        await current?.close();
        current = next;
        yield* current.read();
      }
      if (isFirst) yield CAUGHT_UP;
      isFirst = false;
      await changes.next();
      signal.throwIfAborted();
    }
  } finally {
    changes.stop();
    await current?.close();
  }
}

export const CAUGHT_UP = Symbol('caught up');

/** The files that are newer than the open one; all of them if none is open or it was deleted. */
async function newerFiles(file: string, id: number | undefined): Promise<string[]> {
  const files = await listLogFiles(file);
  if (id === undefined) return files;
  const ids = await Promise.all(files.map(async (name) => (await stat(name).catch(() => undefined))?.ino));
  return files.slice(ids.indexOf(id) + 1);
}

/** Resolves after a change in the folder since the last call, or after the polling interval. */
function watchFolder(file: string, signal: AbortSignal): { next(): Promise<void>; stop(): void } {
  let wake = () => {};
  let hasChanged = false;
  const onChange = () => {
    hasChanged = true;
    wake();
  };
  const watcher = startWatcher(dirname(file), onChange);
  signal.addEventListener('abort', onChange, { once: true });
  return {
    async next() {
      if (!hasChanged && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, POLL_INTERVAL_MS);
        await promise;
        clearTimeout(timer);
      }
      hasChanged = false;
    },
    stop() {
      signal.removeEventListener('abort', onChange);
      watcher?.close();
    },
  };
}

function startWatcher(folder: string, onChange: () => void): { close(): void } | undefined {
  try {
    return watch(folder, onChange).on('error', () => undefined);
  } catch {
    // The folder does not exist yet or cannot be watched; polling is enough.
    return undefined;
  }
}
