import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { CheckpointRecord } from '../contracts/index.ts';
import type { StoredFiles } from './store-files.ts';
import type { BytePath } from './list-files.ts';
import type { StoreGit } from './store-git.ts';

/** A checkpoint in the store: a commit without parents, so that each can be deleted separately. */
export type StoredCheckpoint = CheckpointRecord & {
  commit: string;
  tree: string;
  leftOutPaths: readonly BytePath[];
  /**
   * Files readable only by their owner. Undefined if there were too many to list; then all files are treated as
   * private.
   */
  ownOnly: readonly BytePath[] | undefined;
};

export type NewCheckpoint = StoredFiles & { takenAt: number; reason: string; sessionId?: string | undefined };

const REFS = 'refs/checkpoints/';
/** Zero-padded, so that refs sort numerically. */
const DIGITS = 9;
const MAX_PATHS_NAMED = 5_000;
const FORMAT = ['refname', 'objectname', 'tree', 'contents:subject'].map((field) => `%(${field})`).join('%00');

/** Newest first. */
export async function readRecords(git: StoreGit): Promise<StoredCheckpoint[]> {
  const output = await git.runOrThrow(['for-each-ref', '--sort=-refname', `--format=${FORMAT}`, REFS]);
  return output
    .toString()
    .split('\n')
    .flatMap((line) => {
      const [ref = '', commit = '', tree = '', subject = ''] = line.split('\0');
      const about = parseJson(subject);
      return isJsonObject(about) ? [readRecord({ ref, commit, tree, about })] : [];
    });
}

type RecordParts = { ref: string; commit: string; tree: string; about: JsonObject };

function readRecord({ ref, commit, tree, about }: RecordParts): StoredCheckpoint {
  const { takenAt, reason, sessionId } = about;
  const leftOutPaths = pathsOf(about['leftOut']) ?? [];
  return {
    number: Number(ref.slice(REFS.length)),
    takenAt: typeof takenAt === 'number' ? takenAt : 0,
    reason: typeof reason === 'string' ? reason : '',
    ...(typeof sessionId === 'string' && { sessionId }),
    leftOut: typeof about['leftOutCount'] === 'number' ? about['leftOutCount'] : leftOutPaths.length,
    commit,
    tree,
    leftOutPaths,
    ownOnly: pathsOf(about['ownOnly']),
  };
}

function pathsOf(value: unknown): BytePath[] | undefined {
  return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : undefined;
}

export async function writeRecord(git: StoreGit, number: number, found: NewCheckpoint): Promise<void> {
  const { tree, takenAt, reason, sessionId, leftOut, ownOnly } = found;
  const about = {
    takenAt,
    reason,
    sessionId,
    leftOut: leftOut.slice(0, MAX_PATHS_NAMED),
    leftOutCount: leftOut.length,
    ...(ownOnly.length <= MAX_PATHS_NAMED && { ownOnly }),
  };
  const commit = (await git.runOrThrow(['commit-tree', tree, '-F', '-'], { input: JSON.stringify(about) }))
    .toString()
    .trim();
  // The zero hash means that the ref must not exist: a number in use is never overwritten.
  await git.runOrThrow(['update-ref', refOf(number), commit, '0'.repeat(40)]);
}

export async function dropRecords(git: StoreGit, records: readonly StoredCheckpoint[]): Promise<void> {
  if (records.length === 0) return;
  const input = records.map(({ number }) => `delete ${refOf(number)}\n`).join('');
  await git.runOrThrow(['update-ref', '--stdin'], { input });
}

function refOf(number: number): string {
  return `${REFS}${String(number).padStart(DIGITS, '0')}`;
}
