import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isJsonObject, parseJson, systemClock } from '../base/index.ts';
import { hasDied, markProcess } from './process-life.ts';

export type FileLockOptions = {
  /** How long to wait for others: 10 s by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

/** Others held the lock for longer than was waited. */
export class LockTimeout extends Error {}

const TIMEOUT_MS = 10_000;
/** An owner that cannot be looked for, or that has been reborn under the same number, is believed for this long. */
const STALE_MS = 120_000;
/** Whoever has not written its name into its lock for this long was killed before it could. */
const NAMELESS_MS = 3_000;
/** Removing a stale lock takes no longer than this, unless the process that does it was killed meanwhile. */
const BREAKING_MS = 10_000;
const [MIN_WAIT_MS, MAX_WAIT_MS] = [2, 50];

/**
 * Runs a task while no other process runs one under the same lock file. The file names its owner, so that a lock whose
 * owner was killed is free at once.
 */
export async function withFileLock<Value>(
  lockFile: string,
  task: () => Promise<Value>,
  options: FileLockOptions = {},
): Promise<Value> {
  const content = JSON.stringify({ ...markProcess(), token: randomBytes(8).toString('hex') });
  await acquire(lockFile, content, options);
  try {
    return await task();
  } finally {
    // Only one's own: after too long a pause someone else may rightly hold it.
    if ((await contentOf(lockFile)) === content) await rm(lockFile, { force: true });
  }
}

async function acquire(lockFile: string, content: string, { timeoutMs = TIMEOUT_MS, signal }: FileLockOptions) {
  const deadline = Date.now() + timeoutMs;
  for (let wait = MIN_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    signal?.throwIfAborted();
    // Whoever was held up for very long between making the file and writing into it may have lost it again.
    if ((await create(lockFile, content)) && (await contentOf(lockFile)) === content) return;
    if (await isStale(lockFile)) await removeStale(lockFile);
    else if (Date.now() >= deadline) throw new LockTimeout(`${lockFile} is held by another process`);
    // Uneven, so that those who wait do not all come at once.
    else await systemClock.sleep(wait * (0.5 + Math.random()), signal);
  }
}

async function create(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

async function isStale(lockFile: string): Promise<boolean> {
  const content = await contentOf(lockFile);
  if (content === undefined) return false;
  if (content === '') return (await ageOf(lockFile)) > NAMELESS_MS;
  const owner = parseJson(content);
  if (isJsonObject(owner) && typeof owner['pid'] === 'number' && typeof owner['scope'] === 'string') {
    if (hasDied({ pid: owner['pid'], scope: owner['scope'] }, markProcess().scope)) return true;
  }
  return (await ageOf(lockFile)) > STALE_MS;
}

/**
 * Looks again before it removes: of two processes that find the same stale lock, the slower one must not remove the
 * lock that the faster one has made meanwhile.
 */
async function removeStale(lockFile: string): Promise<void> {
  const breaking = `${lockFile}.breaking`;
  if (!(await create(breaking, ''))) {
    if ((await ageOf(breaking)) > BREAKING_MS) await rm(breaking, { force: true });
    return;
  }
  try {
    if (await isStale(lockFile)) await rm(lockFile, { force: true });
  } finally {
    await rm(breaking, { force: true });
  }
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** How long ago a file was made; 0 where it is gone. */
async function ageOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}
