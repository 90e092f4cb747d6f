import { chooseDistribution, requireRun, submitRun, runWorker } from '../../batch/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import type { CliRun } from '../cli-run.ts';
import { writeReport } from '../report-error.ts';
import { type AgentFlags, loadAgents } from './load-agents.ts';
import { createProgressView } from './progress-view.ts';
import { exitCodeOf } from './report.ts';
import { requireInput } from './input-file.ts';
import { requireQueueUrl, withQueue } from './queue-commands.ts';
import { stopSignals } from './stop-signals.ts';

export type SubmitFlags = AgentFlags & {
  input?: string;
  queue?: string;
  limit?: number;
  batchSize?: number;
  maxSpend?: number;
};

/** `hermes batch submit`: prints the id of the batch run to stdout, for `collect`. */
export async function submitCommand(file: string | undefined, options: SubmitFlags, io: CliIo): Promise<number> {
  const input = await requireInput(file, options.input, 'batch submit', io);
  const toolsets = await chooseDistribution(options.distribution, io.workingDirectory);
  const queueUrl = await requireQueueUrl(options.queue, io);
  const { agents, warnings } = await loadAgents(options, io);
  const say = (message: string) => writeReport(io, { message });
  warnings.forEach(say);
  return withQueue(queueUrl, io, async (queue) => {
    const { run, prompts } = await submitRun(queue, {
      ...agents,
      input,
      limit: options.limit,
      seed: options.seed,
      distribution: { name: options.distribution, toolsets },
      partSize: options.batchSize,
      maxSpendUsd: options.maxSpend,
      maxWaitMs: 0,
      onNote: say,
    });
    say(`${counted(prompts, 'prompt')} added to the queue; run \`hermes batch worker\` to process them.`);
    io.stdout.write(`${run.id}\n`);
    return 0;
  });
}

export type WorkerFlags = {
  queue?: string;
  run?: string;
  workers: number;
  patience: number;
  untilDone?: boolean;
  verbose?: boolean;
};

/** `hermes batch worker`. After the first signal, prompts in progress are still completed. */
export async function workerCommand(options: WorkerFlags, run: CliRun): Promise<number> {
  const { io } = run;
  const { signal, interrupt } = stopSignals(run);
  const view = createProgressView(io);
  const drain = () => view.say('Finishing the prompts in progress; press Ctrl-C again to interrupt them.');
  signal.addEventListener('abort', drain, { once: true });
  return withQueue(options.queue, io, async (queue) => {
    const runId = options.run === undefined ? undefined : (await requireRun(queue, options.run)).id;
    const { ended, failed, stop } = await runWorker({
      queue,
      runId,
      signal,
      interrupt,
      workers: options.workers,
      untilDone: options.untilDone ?? false,
      onNote: view.say,
      onStarted: view.follow,
      maxWaitMs: options.patience * 60_000,
      load: async ({ manifest }) => (await loadAgents({ verbose: options.verbose ?? false }, io, manifest)).agents,
    }).finally(view.close);
    const failures = failed === 0 ? '' : `, ${failed} of them failed`;
    io.stdout.write(`${counted(ended, 'prompt')} processed here${failures}\n`);
    if (stop !== undefined) writeReport(io, stop);
    return exitCodeOf({ stop, failed: 0, left: 0 });
  });
}
