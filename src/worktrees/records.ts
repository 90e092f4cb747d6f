import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import { hasDied, markProcess, startTimeOf, writeFileAtomic } from '../util/index.ts';

/** What is written down about a worktree, so that later programs find it again. */
export type WorktreeRecord = {
  id: string;
  /** Its top folder. */
  path: string;
  /** The top folder of the working tree that it was made from. */
  repository: string;
  branch: string;
  /** The commit that it began at. */
  base: string;
  /** Where in it the agent works. */
  directory: string;
  /** Sessions that worked in it. */
  sessions: readonly string[];
  /** The program that uses it; absent where none does. */
  owner?: Owner;
};

type Owner = { pid: number; scope: string; startTime: string };

const FILE = 'worktree.json';

export const folderOf = (folder: string, id: string): string => join(folder, id);

export function ownProcess(): Owner {
  return { ...markProcess(), startTime: startTimeOf(process.pid) };
}

/** Whether a program that still runs uses it. One that cannot be seen from here counts as running. */
export function isInUse({ owner }: WorktreeRecord): boolean {
  if (owner === undefined || hasDied(owner, markProcess().scope)) return false;
  // The number may be that of another process by now.
  const isReborn = owner.scope === markProcess().scope && startTimeOf(owner.pid) !== owner.startTime;
  return !isReborn;
}

export function isOwn({ owner }: WorktreeRecord): boolean {
  const own = ownProcess();
  return owner?.pid === own.pid && owner.startTime === own.startTime;
}

export async function writeRecord(folder: string, record: WorktreeRecord): Promise<void> {
  await writeFileAtomic(join(folderOf(folder, record.id), FILE), JSON.stringify(record, undefined, 2), { mode: 0o600 });
}

/** All there are; what cannot be read is left alone. */
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
    // A file of ours that holds what we wrote; only its shape is in doubt.
    return isWhole ? (value as unknown as WorktreeRecord) : undefined;
  } catch {
    return undefined;
  }
}
