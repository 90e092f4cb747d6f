import { resolve } from 'node:path';
import { chooseDistribution, submitRun } from '../../batch/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';
import { type AgentFlags, loadAgents } from './load-agents.ts';
import { withQueue } from './with-queue.ts';

export type SubmitFlags = AgentFlags & {
  input: string;
  queue?: string;
  limit?: number;
  batchSize?: number;
  maxSpend?: number;
};

/** `hermes batch submit`: the id of the run on standard output, for whoever collects it. */
export async function submitCommand(options: SubmitFlags, io: CliIo): Promise<number> {
  const { agents, warnings } = await loadAgents(options, io);
  const say = (message: string) => writeReport(io, { message });
  warnings.forEach(say);
  const toolsets = await chooseDistribution(options.distribution, io.workingDirectory);
  return withQueue(options.queue, io, async (queue) => {
    const { run, prompts } = await submitRun(queue, {
      ...agents,
      ...{ input: resolve(io.workingDirectory, options.input), limit: options.limit, seed: options.seed },
      ...{ distribution: { name: options.distribution, toolsets }, partSize: options.batchSize },
      ...{ maxSpendUsd: options.maxSpend, patienceMs: 0, onNote: say },
    });
    say(`${counted(prompts, 'prompt')} in the queue; \`hermes batch worker\` works them off.`);
    io.stdout.write(`${run.id}\n`);
    return 0;
  });
}
