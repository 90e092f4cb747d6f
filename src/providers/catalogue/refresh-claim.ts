import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import { writeFileAtomic } from '../../util/index.ts';

/** What the last refresh brought. */
export type RefreshState = { url?: string; etag?: string; providers: readonly string[] };

/** The right to refresh, which one process at a time has, and has once in an interval. */
export type RefreshClaim = {
  state: RefreshState;
  save(state: RefreshState): Promise<void>;
  release(): Promise<void>;
};

const INTERVAL_MS = 4 * 60 * 60 * 1000;
/** A process that is still at it after this has died. */
const STALE_LOCK_MS = 10 * 60 * 1000;

/** Undefined where it is not due, or where another process is at it. */
export async function claimRefresh(home: string, now: number): Promise<RefreshClaim | undefined> {
  const folder = homePaths(home).catalogueFolder;
  const [file, lock] = [join(folder, 'refresh.json'), join(folder, 'refresh.lock')];
  if (!isDue((await readState(file)).checkedAt, now) || !(await takeLock(lock, now))) return undefined;
  // Another process may have been through with it between the two.
  const { checkedAt, ...state } = await readState(file);
  const release = () => rm(lock, { force: true });
  if (!isDue(checkedAt, now)) {
    await release();
    return undefined;
  }
  const save = (next: RefreshState) => writeState(file, { ...next, checkedAt: now });
  // Before the first byte is sent: also a refresh that fails or is cut off counts, so that nobody is asked in a loop.
  await save(state);
  return { state, save, release };
}

/** A time in the future is a clock that was set back, and means nothing. */
function isDue(checkedAt: number, now: number): boolean {
  return checkedAt > now || now - checkedAt >= INTERVAL_MS;
}

async function takeLock(lock: string, now: number): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch {
    const held = await stat(lock).catch(() => undefined);
    // Left for the next start, so that two processes cannot both take a lock the other has just renewed.
    if (held !== undefined && Math.abs(now - held.mtimeMs) > STALE_LOCK_MS) await rm(lock, { force: true });
    return false;
  }
}

type Stored = RefreshState & { checkedAt: number };

async function readState(file: string): Promise<Stored> {
  const stored = parseJson(await readFile(file, 'utf8').catch(() => ''));
  if (!isJsonObject(stored)) return { checkedAt: 0, providers: [] };
  const { checkedAt, url, etag, providers } = stored;
  return {
    checkedAt: typeof checkedAt === 'number' ? checkedAt : 0,
    providers: Array.isArray(providers) ? providers.filter((name) => typeof name === 'string') : [],
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof etag === 'string' ? { etag } : {}),
  };
}

function writeState(file: string, state: Stored): Promise<void> {
  return writeFileAtomic(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}
