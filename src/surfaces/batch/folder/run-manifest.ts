import { readdir, readFile } from 'node:fs/promises';
import { ConfigurationError, isJsonObject, parseJson } from '../../../base/index.ts';
import { fileErrorReason, writeFileAtomic } from '../../../util/index.ts';
import type { Distribution } from '../toolsets/distributions.ts';
import type { RunPaths } from './run-paths.ts';

/** What a run was begun with. It holds to the end, so that all its lines are of one kind. */
export type RunManifest = {
  version: 1;
  /** No other run has it, in whatever folder or queue. */
  id: string;
  startedAt: number;
  provider: string;
  model: string;
  distributionName: string;
  /** What could be used of it when the run began. */
  distribution: Distribution;
  seed: number;
  partSize: number;
  /** The columns about tools. */
  tools: readonly string[];
  /** The names of metadata that prompts bring. */
  metadataKeys: readonly string[];
};

/** Undefined where the folder is empty or not there. Anything else than a run of ours is not touched. */
export async function readManifest(paths: RunPaths): Promise<RunManifest | undefined> {
  const names = await readdir(paths.folder).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ConfigurationError(`${paths.folder} cannot be used: ${fileErrorReason(thrown)}.`, { cause: thrown });
  });
  const text = await readFile(paths.manifest, 'utf8').catch(() => undefined);
  if (text === undefined) {
    // A run that was killed before it had begun leaves its own folder and nothing else.
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

/** A flag that would make a run into another one. */
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
  ...{ provider: '--provider', model: '--model', distributionName: '--distribution' },
  ...{ seed: '--seed', partSize: '--batch-size' },
};
