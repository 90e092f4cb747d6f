import { resolve } from 'node:path';
import { type BatchReport, chooseDistribution, readManifest, runBatch, runPaths } from '../../batch/index.ts';
import { ConfigurationError } from '../../../base/index.ts';
import type { CliRun } from '../cli-run.ts';
import { requireInput } from './input-file.ts';
import { type AgentFlags, loadAgents } from './load-agents.ts';
import { createProgressView } from './progress-view.ts';
import { exitCodeOf, writeBatchReport } from './report.ts';
import { stopSignals } from './stop-signals.ts';

export type RunOptions = AgentFlags & {
  input?: string;
  output?: string;
  resume?: boolean;
  workers: number;
  limit?: number;
  batchSize?: number;
  maxSpend?: number;
  patience: number;
  json?: boolean;
};

/** `hermes batch run`. After the first signal, prompts in progress are still completed. */
export async function runBatchCommand(file: string | undefined, options: RunOptions, run: CliRun): Promise<number> {
  const { io } = run;
  const input = await requireInput(file, options.input, 'batch run', io);
  if (options.output === undefined) {
    throw new ConfigurationError('`hermes batch run` requires `--output <folder>`.', {
      hint: `For example: hermes batch run --input ${file ?? options.input} --output out`,
    });
  }
  const { signal, interrupt } = stopSignals(run);
  const output = resolve(io.workingDirectory, options.output);
  const known = options.resume ? await readManifest(runPaths(output)) : undefined;
  const name = options.distribution ?? known?.distributionName;
  // A resumed run has stored its distribution; the file may no longer exist.
  const toolsets =
    name !== undefined && name === known?.distributionName
      ? known.distribution
      : await chooseDistribution(name, io.workingDirectory);
  const { agents, warnings } = await loadAgents(options, io, known);
  const view = createProgressView(io);
  for (const warning of warnings) view.say(warning);
  const drain = () => view.say('Finishing the prompts in progress; press Ctrl-C again to interrupt them.');
  signal.addEventListener('abort', drain, { once: true });
  let report: BatchReport;
  try {
    report = await runBatch({
      ...agents,
      input,
      output,
      workers: options.workers,
      resume: options.resume ?? false,
      limit: options.limit,
      distribution: { name, toolsets },
      seed: options.seed,
      partSize: options.batchSize,
      maxSpendUsd: options.maxSpend,
      maxWaitMs: options.patience * 60_000,
      signal,
      interrupt,
      onNote: view.say,
      onStarted: view.follow,
    });
  } finally {
    view.close();
  }
  writeBatchReport(report, { json: options.json ?? false }, io);
  return exitCodeOf(report);
}
