import { type Clock, HermesError, startTimer, systemClock } from '../base/index.ts';
import type { CheckpointRecord, Checkpoints, RestoreReport } from '../contracts/index.ts';
import { AUTOMATIC_MAX_FILES, AUTOMATIC_TIMEOUT_MS, createCostWatch } from './automatic.ts';
import { compareTrees, describeDiff, relativePaths } from './compare.ts';
import { type StoredFiles, storeFiles } from './store-files.ts';
import { pruneStore } from './limits.ts';
import { type BytePath, listFiles, TooManyFiles } from './list-files.ts';
import { restoreFiles } from './restore-files.ts';
import { readRecords, type StoredCheckpoint, writeRecord } from './records.ts';
import { hasStore, withStore } from './store.ts';
import { createStoreGit, type StoreGit } from './store-git.ts';
import { storePathsFor, unsupportedReason, resolveDirectory, type StorePaths } from './store-paths.ts';

export type CheckpointOptions = {
  /** `<home>/checkpoints`. */
  folder: string;
  /** The home directory, whose files are never stored. */
  home: string;
  /** The directory whose files are stored. */
  directory: string;
  maxCheckpoints: number;
  maxFileBytes: number;
  maxTotalBytes: number;
  /** Patterns of files that are not stored, in .gitignore syntax. */
  excludes: readonly string[];
  /** Directories with more files are refused; 50,000 by default. */
  maxFiles?: number;
  /** Time limit for a checkpoint. */
  timeoutMs?: number;
  /** What an automatic checkpoint may cost, and the time limit for the first one. */
  automaticCostMs?: number;
  automaticTimeoutMs?: number;
  clock?: Clock;
};

const TIMEOUT_MS = 30_000;
/**
 * Time limit for restoring and pruning. It is long, because a restore should not be aborted halfway and nobody waits
 * for a prune.
 */
const RESTORE_TIMEOUT_MS = 300_000;

/** A checkpoint exceeded its time limit. */
class CheckpointTimeout extends HermesError {}

export async function createCheckpoints(options: CheckpointOptions): Promise<Checkpoints> {
  const directory = await resolveDirectory(options.directory);
  const parts: Parts = { clock: systemClock, ...options, directory, place: storePathsFor(options.folder, directory) };
  const { place, timeoutMs = TIMEOUT_MS } = parts;
  return {
    directory,
    async list({ sessionId } = {}) {
      if (!(await hasStore(place))) return [];
      const all = (await readRecords(createStoreGit(place, timeoutSignal(timeoutMs)))).map(toRecord);
      return sessionId === undefined ? all : all.filter((one) => one.sessionId === sessionId);
    },
    async take(reason, { sessionId, signal, automatic = false } = {}) {
      assertSupported(directory, options.home);
      if (automatic) return takeAutomatically(parts, { reason, sessionId }, signal);
      return withLockedStore(parts, timeoutSignal(timeoutMs, signal), async (work) =>
        toRecord(await record(work, { reason, sessionId })),
      );
    },
    async diff(number, { paths } = {}) {
      const wanted = relativePaths(directory, paths);
      await requireStore(parts, number);
      return withLockedStore(parts, timeoutSignal(timeoutMs), async (work) => {
        const { commit } = await find(work.git, number);
        return describeDiff(work.git, commit, (await storeFiles(work)).tree, wanted);
      });
    },
    async restore(number, { paths, sessionId } = {}) {
      const wanted = relativePaths(directory, paths);
      await requireStore(parts, number);
      return withLockedStore(parts, timeoutSignal(RESTORE_TIMEOUT_MS), (work) =>
        restoreCheckpoint(work, { number, sessionId, wanted }),
      );
    },
    async prune(signal) {
      if (await hasStore(place)) await withLockedStore(parts, timeoutSignal(RESTORE_TIMEOUT_MS, signal), pruneStore);
    },
  };
}

/** Takes a checkpoint if the directory is small and checkpoints are quick there. */
async function takeAutomatically(
  parts: Parts,
  about: { reason: string; sessionId?: string | undefined },
  signal?: AbortSignal,
): Promise<CheckpointRecord> {
  const watch = createCostWatch(parts.place, parts.clock, parts.automaticCostMs);
  await watch.assertOn();
  const isFirst = !(await hasStore(parts.place));
  const elapsed = startTimer(systemClock);
  const limited = { ...parts, maxFiles: Math.min(parts.maxFiles ?? AUTOMATIC_MAX_FILES, AUTOMATIC_MAX_FILES) };
  try {
    const taken = await withLockedStore(
      limited,
      timeoutSignal(parts.automaticTimeoutMs ?? AUTOMATIC_TIMEOUT_MS, signal),
      (work) => record(work, about),
    );
    // The first one stores all files; only the later ones show what a checkpoint costs.
    if (!isFirst) await watch.add(elapsed());
    return toRecord(taken);
  } catch (thrown) {
    if (thrown instanceof TooManyFiles)
      throw await watch.turnOff(`it has more than ${limited.maxFiles.toLocaleString('en')} files`);
    if (thrown instanceof CheckpointTimeout)
      throw await watch.turnOff(`taking one takes more than ${AUTOMATIC_TIMEOUT_MS / 1000} s`);
    throw thrown;
  }
}

type Parts = CheckpointOptions & { place: StorePaths; clock: Clock };
/** The context of one operation on a store. */
type Operation = Parts & { git: StoreGit; signal: AbortSignal };

function withLockedStore<Value>(
  parts: Parts,
  signal: AbortSignal,
  task: (work: Operation) => Promise<Value>,
): Promise<Value> {
  const git = createStoreGit(parts.place, signal);
  return withStore(parts.place, signal, () => task({ ...parts, git, signal }));
}

/** Takes a checkpoint, or returns the newest one if nothing has changed since. */
async function record(
  work: Operation,
  about: { reason: string; sessionId?: string | undefined },
): Promise<StoredCheckpoint> {
  const newest = (await readRecords(work.git))[0];
  const kept = await storeFilesWithRetry(work);
  if (newest?.tree === kept.tree) return newest;
  const number = (newest?.number ?? 0) + 1;
  await writeRecord(work.git, number, { ...kept, ...about, takenAt: work.clock.now() });
  return find(work.git, number);
}

type RestoreRequest = { number: number; sessionId?: string | undefined; wanted: readonly BytePath[] };

async function restoreCheckpoint(
  work: Operation,
  { number, sessionId, wanted }: RestoreRequest,
): Promise<RestoreReport> {
  const { git } = work;
  const target = await find(git, number);
  const present = await record(work, { reason: `before restoring checkpoint ${number}`, sessionId });
  const changes = await compareTrees(git, target.commit, present.tree, wanted);
  // Exceeding the file limit is no reason to abort a restore.
  const listed = () => listFiles({ ...work, maxFiles: Number.POSITIVE_INFINITY });
  return {
    before: present.number,
    ...(await restoreFiles({ ...work, target, present: present.tree, changes, listed })),
  };
}

/** Throws if there is no store, instead of creating an empty one. */
async function requireStore({ place }: Parts, number: number): Promise<void> {
  if (!(await hasStore(place))) throw unknownCheckpoint(number);
}

function assertSupported(directory: string, home: string): void {
  const refusal = unsupportedReason(directory, home);
  if (refusal === undefined) return;
  throw new HermesError(`Checkpoints are disabled here: ${refusal}.`, { hint: 'Start Hermes in a project folder.' });
}

async function find(git: StoreGit, number: number): Promise<StoredCheckpoint> {
  const found = (await readRecords(git)).find((one) => one.number === number);
  if (found === undefined) throw unknownCheckpoint(number);
  return found;
}

function unknownCheckpoint(number: number): HermesError {
  return new HermesError(`There is no checkpoint ${number} for this directory.`, {
    hint: 'List the checkpoints with `/rollback` or `hermes checkpoints list`.',
  });
}

function toRecord({ number, takenAt, reason, sessionId, leftOut }: StoredCheckpoint): CheckpointRecord {
  return { number, takenAt, reason, ...(sessionId !== undefined && { sessionId }), leftOut };
}

/** Retries once, because files may disappear or change their type while they are read. */
async function storeFilesWithRetry(work: Operation): Promise<StoredFiles> {
  return storeFiles(work).catch((thrown: unknown) => {
    if (work.signal.aborted || thrown instanceof TooManyFiles) throw thrown;
    return storeFiles(work);
  });
}

function timeoutSignal(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const time = new AbortController();
  const reason = () =>
    new CheckpointTimeout(`The checkpoint operation timed out after ${Math.round(milliseconds / 1000)} s.`);
  setTimeout(() => time.abort(reason()), milliseconds).unref();
  return signal === undefined ? time.signal : AbortSignal.any([time.signal, signal]);
}
