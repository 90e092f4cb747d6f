import { join } from 'node:path';
import type { AgentsOptions } from '../batch-options.ts';
import { runPaths } from '../folder/run-paths.ts';
import { openAgents, type OpenedAgents } from '../running/open-agents.ts';
import type { GateListeners } from '../limits/gated-routes.ts';
import { createPromptRunner, type PromptRunner } from '../running/prompt-runner.ts';
import type { QueuedRun } from './queued-runs.ts';

/** The agents of one run on this machine. */
export type RunAgents = OpenedAgents & { runner: PromptRunner };

/** Finds the model that a run wants, with the keys of this machine. */
export type LoadAgents = (run: Pick<QueuedRun, 'manifest'>) => Promise<Omit<AgentsOptions, 'patienceMs'>>;

export async function openRunAgents(
  run: QueuedRun,
  { load, folder, patienceMs }: { load: LoadAgents; folder: string; patienceMs: number },
  listeners: GateListeners,
): Promise<RunAgents> {
  const { manifest, options } = run;
  const here = await load(run);
  const data = join(folder, run.id);
  const agents = await openAgents({ ...here, maxTurns: options.maxTurns, patienceMs }, data, listeners);
  const paths = runPaths(data);
  const runner = createPromptRunner({
    ...{ ...options, runtime: agents.runtime, manifest, readAttachments: here.readAttachments },
    placeOf: (index) => ({ workspace: paths.workspace(index), inputFolder: options.inputFolder }),
  });
  return { ...agents, runner };
}
