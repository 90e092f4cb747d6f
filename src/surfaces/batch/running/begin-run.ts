import { ConfigurationError, newId } from '../../../base/index.ts';
import { ensurePrivateFolder } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import type { BatchOptions } from '../batch-options.ts';
import type { PromptIndex } from '../folder/prompt-index.ts';
import {
  readManifest,
  assertSameOptions,
  type RunManifest,
  type RunPaths,
  writeManifest,
} from '../folder/run-folder.ts';
import type { InputReport } from '../prompts/read-prompts.ts';
import type { ResultFiles } from '../results/result-files.ts';
import { OWN_METADATA } from '../results/result-line.ts';
import { availablePart, DEFAULT_DISTRIBUTION } from '../toolsets/distributions.ts';
import { inspectRuntime, type OpenedAgents } from './open-agents.ts';

const DEFAULT_SEED = 0;
const DEFAULT_PART_SIZE = 100;

type RequestedRun = Pick<BatchOptions, 'route' | 'resume' | 'distribution' | 'seed' | 'partSize' | 'onNote'>;

/** Returns the run in the folder, if it may be resumed. Throws before anything is changed. */
export async function findRun(paths: RunPaths, options: RequestedRun): Promise<RunManifest | undefined> {
  const known = await readManifest(paths);
  if (known === undefined) return undefined;
  if (!options.resume) {
    throw new ConfigurationError(`There is already a run in ${paths.folder}.`, {
      hint: 'Continue it with --resume, or choose another folder with --output.',
    });
  }
  const { route, distribution, seed, partSize } = options;
  const asked = { provider: route.provider, model: route.model, distributionName: distribution.name, seed, partSize };
  assertSameOptions(paths, known, asked);
  return known;
}

/** Rejects new metadata keys, because all samples of a run have the same columns. */
export function assertSameColumns(known: RunManifest, { metadataKeys }: InputReport): void {
  const others = metadataKeys.filter((name) => !known.metadataKeys.includes(name));
  if (others.length === 0) return;
  throw new ConfigurationError(
    `The input has new metadata keys since the run started: ${others.map((name) => `"${name}"`).join(', ')}. All lines of a run need the same columns.`,
    { hint: 'Remove them from the input, or start another run with --output.' },
  );
}

/** Writes the manifest of a new run. */
export async function beginRun(
  paths: RunPaths,
  { route, distribution, seed, partSize, onNote }: RequestedRun,
  { input, runtime, now }: Pick<OpenedAgents, 'runtime'> & { input: InputReport; now: number },
): Promise<RunManifest> {
  const manifest = await describeRun({ route, distribution, seed, partSize, onNote }, { input, runtime, now });
  await ensurePrivateFolder(paths.data);
  await writeManifest(paths, manifest);
  return manifest;
}

export async function describeRun(
  { route, distribution, seed, partSize, onNote }: Omit<RequestedRun, 'resume'>,
  { input, runtime, now }: Pick<OpenedAgents, 'runtime'> & { input: Pick<InputReport, 'metadataKeys'>; now: number },
): Promise<RunManifest> {
  const { tools, sets } = await inspectRuntime(runtime);
  const usable = availablePart(distribution.toolsets, sets);
  if (usable.missing.length > 0) {
    onNote(`Unavailable tool sets are skipped: ${usable.missing.join(', ')}. Run \`hermes tools\` to see why.`);
  }
  return {
    version: 1,
    // The id is part of a queue name.
    id: newId('run').replace(/[^A-Za-z0-9_]/g, '_'),
    startedAt: now,
    provider: route.provider,
    model: route.model,
    distributionName: distribution.name ?? DEFAULT_DISTRIBUTION,
    distribution: usable.distribution,
    seed: seed ?? DEFAULT_SEED,
    partSize: partSize ?? DEFAULT_PART_SIZE,
    tools,
    metadataKeys: input.metadataKeys,
  };
}

type Noted = { input: InputReport; book: PromptIndex; files: ResultFiles; resumed: boolean };

/** Reports problems of the input to the user. */
export function reportInput(
  { input, book, files, resumed }: Noted,
  options: Pick<BatchOptions, 'input' | 'onNote'>,
): void {
  const { onNote } = options;
  const { unusable, faults, repeated } = input;
  if (unusable > 0) {
    onNote(`${options.input} has ${counted(unusable, 'invalid line')}, which will be listed in failed.jsonl:`);
    for (const { lineNumber, fault } of faults) onNote(`  line ${lineNumber}: ${fault}`);
    if (unusable > faults.length) onNote(`  and ${counted(unusable - faults.length, 'more', 'more')}`);
  }
  if (repeated > 0) onNote(`${counted(repeated, 'repeated prompt')}: each is run separately.`);
  warnOverwrittenMetadata(input, options);
  if (!resumed) return;
  onNote(`Skipping ${counted(files.done.size, 'finished prompt')}.`);
  if (book.added > 0 || book.removed > 0) {
    onNote(
      `The input has changed: ${counted(book.added, 'prompt')} added, ${book.removed} removed. Results of removed prompts are kept.`,
    );
  }
}

/** Warns about metadata keys that the run itself writes to every line. */
export function warnOverwrittenMetadata(
  { metadataKeys }: Pick<InputReport, 'metadataKeys'>,
  { input, onNote }: Pick<BatchOptions, 'input' | 'onNote'>,
): void {
  const replaced = metadataKeys.filter((name) => OWN_METADATA.includes(name));
  if (replaced.length === 0) return;
  const names = replaced.map((name) => `"${name}"`).join(', ');
  onNote(`The metadata keys ${names} of ${input} are overwritten by the run. Rename them to keep their values.`);
}
