import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isJsonObject, parseJson, systemClock } from '../base/index.ts';
import { hasProcessEnded, currentProcess } from './process-identity.ts';

export type FileLockOptions = {
  /** How long to wait for the lock; 10 s by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

/** Another process held the lock for longer than the timeout. */
export class LockTimeout extends Error {}

const TIMEOUT_MS = 10_000;
/** A lock expires after this time if its owner cannot be checked, or if its pid now belongs to another process. */
const STALE_MS = 120_000;
/**
 * A lock file that is still empty after this time belongs to a process that was killed before it recorded itself as
 * the owner.
 */
const EMPTY_LOCK_MS = 3_000;
/** Removing a stale lock never takes longer than this, unless the process doing it was killed. */
const STALE_REMOVAL_MS = 10_000;
const [MIN_WAIT_MS, MAX_WAIT_MS] = [2, 50];

/**
 * Runs a task while holding a lock file. The file names its owner, so that the lock of a killed process is released
 * immediately.
 */
export async function withFileLock<Value>(
  lockFile: string,
  task: () => Promise<Value>,
  options: FileLockOptions = {},
): Promise<Value> {
  const content = JSON.stringify({ ...currentProcess(), token: randomBytes(8).toString('hex') });
  await acquire(lockFile, content, options);
  try {
    return await task();
  } finally {
    // Remove only our own lock: after a long pause it may have expired, and another process may hold it now.
    if ((await readIfExists(lockFile)) === content) await rm(lockFile, { force: true });
  }
}

async function acquire(lockFile: string, content: string, { timeoutMs = TIMEOUT_MS, signal }: FileLockOptions) {
  const deadline = Date.now() + timeoutMs;
  for (let wait = MIN_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    signal?.throwIfAborted();
    // Check that the lock is still ours: a process suspended between creating the file and writing to it may have
    // lost it.
    if ((await create(lockFile, content)) && (await readIfExists(lockFile)) === content) return;
    if (await isStale(lockFile)) await removeStale(lockFile);
    else if (Date.now() >= deadline) throw new LockTimeout(`${lockFile} is held by another process`);
    // Jitter, so that waiting processes do not all retry at the same moment.
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
  const content = await readIfExists(lockFile);
  if (content === undefined) return false;
  if (content === '') return (await ageOf(lockFile)) > EMPTY_LOCK_MS;
  const owner = parseJson(content);
  if (isJsonObject(owner) && typeof owner['pid'] === 'number' && typeof owner['scope'] === 'string') {
    if (hasProcessEnded({ pid: owner['pid'], scope: owner['scope'] }, currentProcess().scope)) return true;
  }
  return (await ageOf(lockFile)) > STALE_MS;
}

/**
 * Checks again before removing: if two processes find the same stale lock, the slower one must not remove the new
 * lock of the faster one.
 */
async function removeStale(lockFile: string): Promise<void> {
  const breaking = `${lockFile}.breaking`;
  if (!(await create(breaking, ''))) {
    if ((await ageOf(breaking)) > STALE_REMOVAL_MS) await rm(breaking, { force: true });
    return;
  }
  try {
    if (await isStale(lockFile)) await rm(lockFile, { force: true });
  } finally {
    await rm(breaking, { force: true });
  }
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** The age of a file in milliseconds; 0 if it does not exist. */
async function ageOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}
