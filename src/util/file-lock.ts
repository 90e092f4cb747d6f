import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isJsonObject, parseJson, systemClock } from '../base/index.ts';
import { currentProcess, hasProcessEnded, processStartTime } from './operating-system/index.ts';

export type FileLockOptions = {
  /** How long to wait for the lock. By default, 10 s for one holder and 60 s in all. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

/** The process that holds a lock. The pid is undefined if the lock file does not say who created it. */
export type LockHolder = { pid: number | undefined; heldForMs: number };

/** Another process held the lock for longer than the timeout. */
export class LockTimeout extends Error {
  readonly lockFile: string;
  readonly holder: LockHolder;

  constructor(lockFile: string, holder: LockHolder) {
    super(`${lockFile} is held by ${describeLockHolder(holder)}`);
    this.lockFile = lockFile;
    this.holder = holder;
  }
}

export function describeLockHolder({ pid, heldForMs }: LockHolder): string {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return `${who} for ${Math.round(heldForMs / 1000)} s`;
}

/** Many processes may be waiting, so a lock that is passed on is waited for longer than one that is stuck. */
const [HOLDER_TIMEOUT_MS, TIMEOUT_MS] = [10_000, 60_000];
/** A lock expires after this time if its owner cannot be checked. The lock of a process that runs never expires. */
const STALE_MS = 120_000;
/**
 * A lock file that is still empty after this time belongs to a process that was killed before it recorded itself as
 * the owner. The same applies to a process that was killed while it removed a stale lock.
 */
const ABANDONED_MS = 3_000;
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
  const content = JSON.stringify({ ...currentProcess(), startTime: processStartTime(process.pid), token: newToken() });
  await acquire(lockFile, content, options);
  try {
    return await task();
  } finally {
    // Remove only our own lock: where owners cannot be checked, it may have expired and belong to another process.
    if ((await readIfExists(lockFile)) === content) await rm(lockFile, { force: true });
  }
}

/**
 * Runs a short synchronous task if no other process runs one under the same lock file, and otherwise skips it. For
 * callers that cannot wait.
 */
export function runUnlessLocked(lockFile: string, task: () => void): void {
  try {
    closeSync(openSync(lockFile, 'wx', 0o600));
  } catch {
    const created = statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs;
    // The next caller acquires the lock. Otherwise two processes could remove it, one of them a new one.
    if (created !== undefined && Date.now() - created > ABANDONED_MS) rmSync(lockFile, { force: true });
    return;
  }
  try {
    task();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

async function acquire(lockFile: string, content: string, { timeoutMs, signal }: FileLockOptions) {
  const isTimedOut = createTimeout(lockFile, timeoutMs);
  for (let wait = MIN_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
    signal?.throwIfAborted();
    // Check that the lock is still ours: a process suspended between creating the file and writing to it may have
    // lost it.
    if ((await create(lockFile, content)) && (await readIfExists(lockFile)) === content) return;
    if (await isStale(lockFile)) await removeStale(lockFile);
    else if (await isTimedOut()) throw new LockTimeout(lockFile, await findHolder(lockFile));
    // Jitter, so that waiting processes do not all retry at the same moment.
    else await systemClock.sleep(wait * (0.5 + Math.random()), signal);
  }
}

function createTimeout(lockFile: string, timeoutMs: number | undefined): () => Promise<boolean> {
  const startedAt = performance.now();
  let holder: { content: string | undefined; since: number } | undefined;
  return async () => {
    const now = performance.now();
    if (now - startedAt >= (timeoutMs ?? TIMEOUT_MS)) return true;
    if (timeoutMs !== undefined) return false;
    const content = await readIfExists(lockFile);
    if (holder === undefined || holder.content !== content) holder = { content, since: now };
    return now - holder.since >= HOLDER_TIMEOUT_MS;
  };
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

async function findHolder(lockFile: string): Promise<LockHolder> {
  const owner = parseOwner((await readIfExists(lockFile)) ?? '');
  return { pid: owner?.pid, heldForMs: await ageOf(lockFile) };
}

type Owner = { pid: number; scope: string; startTime: string };

function parseOwner(content: string): Owner | undefined {
  const owner = parseJson(content);
  if (!isJsonObject(owner)) return undefined;
  const { pid, scope, startTime } = owner;
  if (typeof pid !== 'number' || typeof scope !== 'string') return undefined;
  return { pid, scope, startTime: typeof startTime === 'string' ? startTime : '' };
}

async function isStale(lockFile: string): Promise<boolean> {
  const content = await readIfExists(lockFile);
  if (content === undefined) return false;
  if (content === '') return (await ageOf(lockFile)) > ABANDONED_MS;
  const owner = parseOwner(content);
  const { scope } = currentProcess();
  if (owner === undefined || owner.scope !== scope) return (await ageOf(lockFile)) > STALE_MS;
  if (hasProcessEnded(owner, scope)) return true;
  // A pid can be reused, so the start time has to match as well. It is unknown on systems without /proc.
  if (owner.startTime === '') return (await ageOf(lockFile)) > STALE_MS;
  return processStartTime(owner.pid) !== owner.startTime;
}

/**
 * Checks again before removing: if two processes find the same stale lock, the slower one must not remove the new
 * lock of the faster one.
 */
async function removeStale(lockFile: string): Promise<void> {
  const breaking = `${lockFile}.breaking`;
  const token = newToken();
  if (!(await create(breaking, token))) {
    if ((await ageOf(breaking)) > ABANDONED_MS) await rm(breaking, { force: true });
    return;
  }
  try {
    const isOurs = async () => (await readIfExists(breaking)) === token;
    if ((await isStale(lockFile)) && (await isOurs())) await rm(lockFile, { force: true });
  } finally {
    await rm(breaking, { force: true });
  }
}

function newToken(): string {
  return randomBytes(8).toString('hex');
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
  return found === undefined ? 0 : Math.max(0, Date.now() - found.mtimeMs);
}
