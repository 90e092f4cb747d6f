import { type Clock, HermesError, systemClock } from '../base/index.ts';
import type { CheckpointRecord, Checkpoints, RestoreReport } from '../contracts/index.ts';
import { compareTrees, describeDiff, relativePaths } from './compare.ts';
import { type KeptFiles, keepFiles } from './keep-files.ts';
import { pruneStore } from './limits.ts';
import { type BytePath, listFiles, TooManyFiles } from './list-files.ts';
import { putBack } from './put-back.ts';
import { readRecords, type StoredCheckpoint, writeRecord } from './records.ts';
import { hasStore, withStore } from './store.ts';
import { createStoreGit, type StoreGit } from './store-git.ts';
import { placeFor, refusalOf, resolveDirectory, type StorePlace } from './store-place.ts';

export type CheckpointOptions = {
  /** `<home>/checkpoints`. */
  folder: string;
  /** The home itself, whose files are never kept. */
  home: string;
  /** Whose files are kept. */
  directory: string;
  maxCheckpoints: number;
  maxFileBytes: number;
  maxTotalBytes: number;
  /** Patterns of files that are not kept, as in a .gitignore. */
  excludes: readonly string[];
  /** More than so many files are refused: 50,000. */
  maxFiles?: number;
  /** How long a checkpoint may take. */
  timeoutMs?: number;
  clock?: Clock;
};

const TIMEOUT_MS = 30_000;
/** Going back must not stop in the middle without need, and nobody waits for what is dropped. */
const PATIENT_TIMEOUT_MS = 300_000;

/** A checkpoint took longer than it may. */
class CheckpointTimeout extends HermesError {}

export async function createCheckpoints(options: CheckpointOptions): Promise<Checkpoints> {
  const directory = await resolveDirectory(options.directory);
  const parts: Parts = { clock: systemClock, ...options, directory, place: placeFor(options.folder, directory) };
  const { place, timeoutMs = TIMEOUT_MS } = parts;
  return {
    directory,
    async list({ sessionId } = {}) {
      if (!(await hasStore(place))) return [];
      const all = (await readRecords(createStoreGit(place, limitTime(timeoutMs)))).map(toRecord);
      return sessionId === undefined ? all : all.filter((one) => one.sessionId === sessionId);
    },
    async take(reason, { sessionId, signal } = {}) {
      refuse(directory, options.home);
      return atWork(parts, limitTime(timeoutMs, signal), async (work) =>
        toRecord(await record(work, { reason, sessionId })),
      );
    },
    async diff(number, { paths } = {}) {
      const wanted = relativePaths(directory, paths);
      await requireStore(parts, number);
      return atWork(parts, limitTime(timeoutMs), async (work) => {
        const { commit } = await find(work.git, number);
        return describeDiff(work.git, commit, (await keepFiles(work)).tree, wanted);
      });
    },
    async restore(number, { paths, sessionId } = {}) {
      const wanted = relativePaths(directory, paths);
      await requireStore(parts, number);
      return atWork(parts, limitTime(PATIENT_TIMEOUT_MS), (work) => goBack(work, { number, sessionId, wanted }));
    },
    async prune(signal) {
      if (await hasStore(place)) await atWork(parts, limitTime(PATIENT_TIMEOUT_MS, signal), pruneStore);
    },
  };
}

type Parts = CheckpointOptions & { place: StorePlace; clock: Clock };
/** What one task on a store works with. */
type Work = Parts & { git: StoreGit; signal: AbortSignal };

function atWork<Value>(parts: Parts, signal: AbortSignal, task: (work: Work) => Promise<Value>): Promise<Value> {
  const git = createStoreGit(parts.place, signal);
  return withStore(parts.place, signal, () => task({ ...parts, git, signal }));
}

/** Where nothing has changed since the newest checkpoint, that one says it already. */
async function record(
  work: Work,
  about: { reason: string; sessionId?: string | undefined },
): Promise<StoredCheckpoint> {
  const newest = (await readRecords(work.git))[0];
  const kept = await keepTwice(work);
  if (newest?.tree === kept.tree) return newest;
  const number = (newest?.number ?? 0) + 1;
  await writeRecord(work.git, number, { ...kept, ...about, takenAt: work.clock.now() });
  return find(work.git, number);
}

type Return = { number: number; sessionId?: string | undefined; wanted: readonly BytePath[] };

async function goBack(work: Work, { number, sessionId, wanted }: Return): Promise<RestoreReport> {
  const { git } = work;
  const target = await find(git, number);
  const present = await record(work, { reason: `before going back to ${number}`, sessionId });
  const changes = await compareTrees(git, target.commit, present.tree, wanted);
  // In the middle of it a few files too many are no reason to stop.
  const listed = () => listFiles({ ...work, maxFiles: Number.POSITIVE_INFINITY });
  return { before: present.number, ...(await putBack({ ...work, target, present: present.tree, changes, listed })) };
}

/** No store is made just to say that it has nothing. */
async function requireStore({ place }: Parts, number: number): Promise<void> {
  if (!(await hasStore(place))) throw notThere(number);
}

function refuse(directory: string, home: string): void {
  const refusal = refusalOf(directory, home);
  if (refusal === undefined) return;
  throw new HermesError(`No checkpoints are taken here: ${refusal}.`, { hint: 'Start in the folder of a project.' });
}

async function find(git: StoreGit, number: number): Promise<StoredCheckpoint> {
  const found = (await readRecords(git)).find((one) => one.number === number);
  if (found === undefined) throw notThere(number);
  return found;
}

function notThere(number: number): HermesError {
  return new HermesError(`There is no checkpoint ${number} of this directory.`, {
    hint: '`/rollback` or `hermes checkpoints list` shows those there are.',
  });
}

function toRecord({ number, takenAt, reason, sessionId, leftOut }: StoredCheckpoint): CheckpointRecord {
  return { number, takenAt, reason, ...(sessionId !== undefined && { sessionId }), leftOut };
}

/** Files may vanish or change their kind while they are read; that hardly happens twice. */
async function keepTwice(work: Work): Promise<KeptFiles> {
  return keepFiles(work).catch((thrown: unknown) => {
    if (work.signal.aborted || thrown instanceof TooManyFiles) throw thrown;
    return keepFiles(work);
  });
}

function limitTime(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const time = new AbortController();
  const reason = () => new CheckpointTimeout(`It took longer than ${Math.round(milliseconds / 1000)} s.`);
  setTimeout(() => time.abort(reason()), milliseconds).unref();
  return signal === undefined ? time.signal : AbortSignal.any([time.signal, signal]);
}
