import { utimes } from 'node:fs/promises';
import { ConfigurationError } from '../../../base/index.ts';
import { LockTimeout, withFileLock } from '../../../util/index.ts';
import type { RunPaths } from './run-paths.ts';

const WAIT_MS = 500;
/** Well below the age at which a lock counts as left behind. */
const TOUCH_MS = 20_000;

/** Two programs that work on one run would do everything twice. */
export async function holdFolder<Value>(paths: RunPaths, task: () => Promise<Value>): Promise<Value> {
  try {
    return await withFileLock(paths.lock, () => touching(paths.lock, task), { timeoutMs: WAIT_MS });
  } catch (thrown) {
    if (!(thrown instanceof LockTimeout)) throw thrown;
    throw new ConfigurationError(`Another program works on the run in ${paths.folder}.`, {
      hint: 'Wait until it has ended, or choose another folder with --output.',
      cause: thrown,
    });
  }
}

async function touching<Value>(file: string, task: () => Promise<Value>): Promise<Value> {
  const timer = setInterval(() => {
    const now = new Date();
    void utimes(file, now, now).catch(() => undefined);
  }, TOUCH_MS);
  try {
    return await task();
  } finally {
    clearInterval(timer);
  }
}
