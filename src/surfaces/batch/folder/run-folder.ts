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
  /** Sessions, log and spill files, laid out like a home. */
  data: string;
  manifest: string;
  keys: string;
  dropped: string;
  lock: string;
  /** Working directory of a prompt that does not name one. */
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
/** Well below the age at which a lock counts as stale. */
const TOUCH_MS = 20_000;

/** Locks the folder, because two processes on one run would do everything twice. */
export async function holdFolder<Value>(paths: RunPaths, task: () => Promise<Value>): Promise<Value> {
  try {
    return await withFileLock(paths.lock, () => touching(paths.lock, task), { timeoutMs: WAIT_MS });
  } catch (thrown) {
    if (!(thrown instanceof LockTimeout)) throw thrown;
    throw new ConfigurationError(`Another program works on the run in ${paths.folder}.`, {
      hint: 'Wait until it has ended, or choose another folder with --output.',
      cause: thrown,
    });
  }
}

async function touching<Value>(file: string, task: () => Promise<Value>): Promise<Value> {
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

/** The settings a run was started with. They never change, so that all lines are consistent. */
export type RunManifest = {
  version: 1;
  /** Globally unique. */
  id: string;
  startedAt: number;
  provider: string;
  model: string;
  distributionName: string;
  /** The part that was available when the run started. */
  distribution: Distribution;
  seed: number;
  partSize: number;
  /** The columns about tools. */
  tools: readonly string[];
  /** The names of metadata that prompts bring. */
  metadataKeys: readonly string[];
};

/** Undefined if the folder is empty or missing. A folder with other files is refused. */
export async function readManifest(paths: RunPaths): Promise<RunManifest | undefined> {
  const names = await readdir(paths.folder).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ConfigurationError(`${paths.folder} cannot be used: ${fileErrorReason(thrown)}.`, { cause: thrown });
  });
  const text = await readFile(paths.manifest, 'utf8').catch(() => undefined);
  if (text === undefined) {
    // A run that was killed early leaves only its `run` folder.
    if (names.every((name) => name === 'run')) return undefined;
    throw new ConfigurationError(`${paths.folder} has files in it that are of no batch run.`, {
      hint: 'Choose an empty folder with --output.',
    });
  }
  const manifest = parseJson(text);
  if (isJsonObject(manifest) && manifest['version'] === 1) return manifest as unknown as RunManifest;
  throw new ConfigurationError(`${paths.manifest} cannot be read: it is damaged, or of another version.`, {
    hint: 'Begin again in another folder.',
  });
}

export async function writeManifest(paths: RunPaths, manifest: RunManifest): Promise<void> {
  await writeFileAtomic(paths.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Refuses options that contradict the run. */
export function refuseOtherRun(
  paths: RunPaths,
  known: RunManifest,
  asked: Partial<Pick<RunManifest, 'provider' | 'model' | 'distributionName' | 'seed' | 'partSize'>>,
): void {
  for (const [name, value] of Object.entries(asked) as [keyof typeof asked, string | number | undefined][]) {
    if (value === undefined || value === known[name]) continue;
    throw new ConfigurationError(
      `The run in ${paths.folder} was begun with ${FLAGS[name]} ${known[name]}, and this asks for ${value}.`,
      { hint: `Leave ${FLAGS[name]} out to go on as it began, or choose another folder with --output.` },
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
