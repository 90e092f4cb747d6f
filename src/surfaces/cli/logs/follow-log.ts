import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type LineFile, listLogFiles, openLines } from './log-files.ts';

/** How often it is looked where the file system tells nothing by itself. */
const LOOK_MS = 1_000;

/**
 * All lines of a log, those that are there and then those that come. A log that is rotated is read to its end, then the
 * ones that came after it, whatever their names are by then. The mark tells that what was there has been read.
 */
export async function* followLog(file: string, signal: AbortSignal): AsyncGenerator<string | typeof CAUGHT_UP> {
  const changes = watchFolder(file, signal);
  let current: LineFile | undefined;
  let isFirst = true;
  try {
    for (;;) {
      const others = await filesBehind(file, current?.id);
      if (current !== undefined) yield* current.read();
      for (const name of others) {
        const next = await openLines(name);
        if (next === undefined) continue;
        // Between the look and now it may have got lines, or another name.
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

/** The files that came after the one that is open; all of them where none is, or where it is gone. */
async function filesBehind(file: string, id: number | undefined): Promise<string[]> {
  const files = await listLogFiles(file);
  if (id === undefined) return files;
  const ids = await Promise.all(files.map(async (name) => (await stat(name).catch(() => undefined))?.ino));
  return files.slice(ids.indexOf(id) + 1);
}

/** Resolves when something has happened in the folder since it was last asked, or after a while. */
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
        const timer = setTimeout(resolve, LOOK_MS);
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
    // The folder is not there yet, or cannot be watched: looking now and then is enough.
    return undefined;
  }
}
