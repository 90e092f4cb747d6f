import { dirname } from 'node:path';
import { counted } from '../text/counted.ts';
import { systemClock } from '../../base/index.ts';
import { ensurePrivateFolder } from '../../util/index.ts';
import type { BatchOptions, BatchReport } from './batch-options.ts';
import { withFolderLock, type RunManifest, type RunPaths, runPaths } from './folder/run-folder.ts';
import { openPromptIndex, type PromptIndex } from './folder/prompt-index.ts';
import { createSpending, type RunSpending } from './limits/spending.ts';
import { type InputReport, inspectInput, type KeyedLine, readPrompts } from './prompts/read-prompts.ts';
import { finishRun } from './results/finish-run.ts';
import { openResultFiles, type ResultFiles } from './results/result-files.ts';
import { beginRun, findRun, reportInput, assertSameColumns } from './running/begin-run.ts';
import { openAgents, type OpenedAgents } from './running/open-agents.ts';
import { createPromptRunner } from './running/prompt-runner.ts';
import { runJobs, type RunningJobs } from './running/run-jobs.ts';
import { createStopSwitch, type StopSwitch } from './running/stop-switch.ts';

/** Runs all prompts of a file and writes the results to a folder. Finished prompts are skipped. */
export async function runBatch(options: BatchOptions): Promise<BatchReport> {
  const paths = runPaths(options.output);
  // Checked before the input is read, which may take long, and again under the lock.
  await findRun(paths, options);
  const input = await inspectInput(options.input);
  await ensurePrivateFolder(paths.data);
  return withFolderLock(paths, async () => {
    const known = await findRun(paths, options);
    if (known !== undefined) assertSameColumns(known, input);
    return runHeld(options, { paths, known, input });
  });
}

type Found = { paths: RunPaths; known: RunManifest | undefined; input: InputReport };

async function runHeld(options: BatchOptions, { paths, known, input }: Found): Promise<BatchReport> {
  const { clock = systemClock } = options;
  const startedAt = clock.now();
  const stop = createStopSwitch(options, {
    afterSignal: 'Continue with the same command and --resume.',
    afterOutage: 'Continue with --resume when the provider is available. Failed prompts are retried.',
  });
  let spending: RunSpending | undefined;
  const agents = await openAgents(options, paths.data, {
    onAnswer: (answer) => spending?.noteAnswer(answer),
    onGivenUp: stop.onGivenUp,
  });
  const { runtime } = agents;
  try {
    const { usd: spentUsd, unpriced } = await runtime.store.spendingSince(0);
    const { maxSpendUsd: limitUsd, onNote } = options;
    spending = createSpending({ limitUsd, spentUsd, knownBefore: unpriced === 0, onLimit: stop.onSpending });
    if (limitUsd !== undefined && unpriced > 0) {
      onNote(`The cost of ${counted(unpriced, 'earlier call')} is unknown and does not count towards the limit.`);
    }
    const manifest = known ?? (await beginRun(paths, options, { input, runtime, now: startedAt }));
    const files = await openResultFiles(paths, manifest);
    const book = await openPromptIndex(paths.keys, input.keys);
    reportInput({ input, book, files, resumed: known !== undefined }, options);
    const parts = { options, paths, manifest, files, book, agents, spending, stop, input, startedAt };
    const report = await runAll(parts);
    return { ...report, seconds: (clock.now() - startedAt) / 1000 };
  } finally {
    await runtime.close();
  }
}

type RunParts = {
  options: BatchOptions;
  paths: RunPaths;
  manifest: RunManifest;
  files: ResultFiles;
  book: PromptIndex;
  agents: OpenedAgents;
  spending: RunSpending;
  stop: StopSwitch;
  input: InputReport;
  startedAt: number;
};

async function runAll(parts: RunParts): Promise<Omit<BatchReport, 'seconds'>> {
  const { options, paths, manifest, files, agents, spending, stop, input, startedAt } = parts;
  const { clock = systemClock } = options;
  const inputFolder = dirname(options.input);
  const runner = createPromptRunner({
    ...options,
    runtime: agents.runtime,
    manifest,
    foldersOf: (index) => ({ workspace: paths.workspace(index), inputFolder }),
  });
  const prompts = Math.min(input.keys.length, options.limit ?? Infinity);
  const running: RunningJobs = {
    runner,
    spending,
    stop,
    gates: agents.gates,
    clock,
    startedAt,
    total: prompts,
    save: files.save,
    counts: () => ({ kept: files.kept, dropped: files.dropped }),
  };
  await runJobs(openJobs(parts, prompts), { ...running, workers: options.workers, onStarted: options.onStarted });
  const { usd, tokens } = await agents.runtime.store.spendingSince(0);
  const figures = { files, prompts, usd, tokens, costKnown: spending.costKnown, finishedAt: clock.now() };
  return { ...(await finishRun(paths, manifest, figures)), stop: stop.found() };
}

/** Yields the remaining prompts, in file order. */
async function* openJobs(
  { options, files, book }: RunParts,
  most: number,
): AsyncGenerator<KeyedLine & { index: number }> {
  let count = 0;
  for await (const line of readPrompts(options.input)) {
    if ((count += 1) > most) return;
    const index = book.indexOf(line.key);
    // Undefined only if the file was changed during the run.
    if (index !== undefined && !files.done.has(index)) yield { ...line, index };
  }
}
