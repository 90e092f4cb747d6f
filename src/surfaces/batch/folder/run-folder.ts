import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, isJsonObject, parseJson } from '../../../base/index.ts';
import { fileErrorReason, LockTimeout, withFileLock, writeFileAtomic } from '../../../util/index.ts';
import type { Distribution } from '../toolsets/distributions.ts';

/** The files of a run. Results are in the folder itself, internal files in `run/`. */
export type RunPaths = {
  folder: string;
  /** All kept samples, in the order of the prompts. */
  trajectories: string;
  failed: string;
  statistics: string;
  /** `batch_001_output.jsonl`, … */
  part(number: number): string;
  /** Sessions, log and spill files, with the layout of a home directory. */
  data: string;
  manifest: string;
  keys: string;
  dropped: string;
  lock: string;
  /** The working directory of a prompt that does not specify one. */
  workspace(index: number): string;
};

const PART = /^batch_(\d+)_output\.jsonl$/;
const PART_DIGITS = 3;

export function runPaths(folder: string): RunPaths {
  const data = join(folder, 'run');
  return {
    folder,
    trajectories: join(folder, 'trajectories.jsonl'),
    failed: join(folder, 'failed.jsonl'),
    statistics: join(folder, 'statistics.json'),
    part: (number) => join(folder, `batch_${String(number).padStart(PART_DIGITS, '0')}_output.jsonl`),
    data,
    manifest: join(data, 'run.json'),
    keys: join(data, 'prompts.txt'),
    dropped: join(data, 'dropped.jsonl'),
    lock: join(data, 'run.lock'),
    workspace: (index) => join(data, 'work', String(index)),
  };
}

/** The number of a part file; undefined for other files. */
export function partNumber(name: string): number | undefined {
  const found = PART.exec(name)?.[1];
  return found === undefined ? undefined : Number(found);
}

const WAIT_MS = 500;
/** How often the lock is renewed: well below the age at which it is considered stale. */
const TOUCH_MS = 20_000;

/** Locks the folder, because two processes would run every prompt twice. */
export async function withFolderLock<Value>(paths: RunPaths, task: () => Promise<Value>): Promise<Value> {
  try {
    return await withFileLock(paths.lock, () => keepFresh(paths.lock, task), { timeoutMs: WAIT_MS });
  } catch (thrown) {
    if (!(thrown instanceof LockTimeout)) throw thrown;
    throw new ConfigurationError(`Another process is using the run in ${paths.folder}.`, {
      hint: 'Wait until it has ended, or choose another folder with --output.',
      cause: thrown,
    });
  }
}

async function keepFresh<Value>(file: string, task: () => Promise<Value>): Promise<Value> {
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

/** The settings with which a run started. They never change, so that all samples are consistent. */
export type RunManifest = {
  version: 1;
  /** Globally unique. */
  id: string;
  startedAt: number;
  provider: string;
  model: string;
  distributionName: string;
  /** The tool sets of the distribution that were available when the run started. */
  distribution: Distribution;
  seed: number;
  partSize: number;
  /** The tools that have a column in the samples. */
  tools: readonly string[];
  /** The metadata keys of the prompts. */
  metadataKeys: readonly string[];
};

/** Returns undefined if the folder is empty or missing. Throws if it contains other files. */
export async function readManifest(paths: RunPaths): Promise<RunManifest | undefined> {
  const names = await readdir(paths.folder).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ConfigurationError(`Cannot use ${paths.folder} as the output folder: ${explainFolderError(thrown)}.`, {
      hint: 'Choose a new or an empty folder with --output.',
      cause: thrown,
    });
  });
  const text = await readFile(paths.manifest, 'utf8').catch(() => undefined);
  if (text === undefined) {
    // A run that was killed early leaves only its `run` folder.
    if (names.every((name) => name === 'run')) return undefined;
    throw new ConfigurationError(`${paths.folder} contains files that do not belong to a batch run.`, {
      hint: 'Choose a new or an empty folder with --output.',
    });
  }
  const manifest = parseJson(text);
  if (isJsonObject(manifest) && manifest['version'] === 1) return manifest as unknown as RunManifest;
  throw new ConfigurationError(`${paths.manifest} is damaged or has an unsupported version.`, {
    hint: 'Start a new run in another folder.',
  });
}

function explainFolderError(thrown: unknown): string {
  return (thrown as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'it is not a directory' : fileErrorReason(thrown);
}

export async function writeManifest(paths: RunPaths, manifest: RunManifest): Promise<void> {
  await writeFileAtomic(paths.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Throws if an option contradicts the run. */
export function assertSameOptions(
  paths: RunPaths,
  known: RunManifest,
  asked: Partial<Pick<RunManifest, 'provider' | 'model' | 'distributionName' | 'seed' | 'partSize'>>,
): void {
  for (const [name, value] of Object.entries(asked) as [keyof typeof asked, string | number | undefined][]) {
    if (value === undefined || value === known[name]) continue;
    throw new ConfigurationError(
      `The run in ${paths.folder} was started with ${FLAGS[name]} ${known[name]}, not ${value}.`,
      { hint: `Omit ${FLAGS[name]} to resume with the original value, or choose another folder with --output.` },
    );
  }
}

const FLAGS = {
  provider: '--provider',
  model: '--model',
  distributionName: '--distribution',
  seed: '--seed',
  partSize: '--batch-size',
};
