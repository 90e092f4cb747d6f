import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import {
  currentProcess,
  ensurePrivateFolder,
  hasProcessEnded,
  processStartTime,
  withFileLock,
  writeFileAtomic,
} from '../util/index.ts';

/** The stored record of a worktree, by which later processes find it. */
export type WorktreeRecord = {
  id: string;
  /** The root folder of the worktree. */
  path: string;
  /** The root folder of the working tree from which it was created. */
  repository: string;
  branch: string;
  /** The commit from which it was created. */
  base: string;
  /** The agent's working directory inside the worktree. */
  directory: string;
  /** The ids of the sessions that used it. */
  sessions: readonly string[];
  /** The process that uses it; absent if none does. */
  owner?: Owner;
};

type Owner = { pid: number; scope: string; startTime: string };

const FILE = 'worktree.json';
/** Longer than removing a worktree with many files takes. */
const LOCK_TIMEOUT_MS = 60_000;

export const folderOf = (folder: string, id: string): string => join(folder, id);

export function ownProcess(): Owner {
  return { ...currentProcess(), startTime: processStartTime(process.pid) };
}

/** Whether a running process uses the worktree. A process in another scope counts as running. */
export function isInUse({ owner }: WorktreeRecord): boolean {
  if (owner === undefined || hasProcessEnded(owner, currentProcess().scope)) return false;
  // The pid may have been reused by another process.
  const isReborn = owner.scope === currentProcess().scope && processStartTime(owner.pid) !== owner.startTime;
  return !isReborn;
}

export function isOwnedByThisProcess({ owner }: WorktreeRecord): boolean {
  const own = ownProcess();
  return owner?.pid === own.pid && owner.startTime === own.startTime;
}

export async function writeRecord(folder: string, record: WorktreeRecord): Promise<void> {
  await writeFileAtomic(join(folderOf(folder, record.id), FILE), JSON.stringify(record, undefined, 2), { mode: 0o600 });
}

/**
 * Reads and changes a record under its lock. The lock is next to the folder of the worktree, because the task may
 * remove the folder.
 */
export async function changeRecord<Value>(
  folder: string,
  id: string,
  task: (record: WorktreeRecord | undefined) => Promise<Value>,
): Promise<Value> {
  await ensurePrivateFolder(folder);
  const lockFile = `${folderOf(folder, id)}.lock`;
  return withFileLock(lockFile, () => task(readRecord(folder, id)), { timeoutMs: LOCK_TIMEOUT_MS });
}

/** All records; unreadable ones are skipped. */
export function readRecords(folder: string): WorktreeRecord[] {
  try {
    return readdirSync(folder).flatMap((id) => readRecord(folder, id) ?? []);
  } catch {
    return [];
  }
}

export function readRecord(folder: string, id: string): WorktreeRecord | undefined {
  try {
    const value = parseJson(readFileSync(join(folderOf(folder, id), FILE), 'utf8'));
    const isWhole =
      isJsonObject(value) &&
      ['id', 'path', 'repository', 'branch', 'base', 'directory'].every((key) => typeof value[key] === 'string') &&
      Array.isArray(value['sessions']);
    // Hermes wrote this file, so checking the required fields is enough.
    return isWhole ? (value as unknown as WorktreeRecord) : undefined;
  } catch {
    return undefined;
  }
}
