import { resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { loadModels, readPrefill } from '../../../runtime/index.ts';
import { templateOf } from '../../../runtime/trajectories/index.ts';
import type { AgentsOptions } from '../../batch/index.ts';
import type { CliIo } from '../cli-io.ts';

/** The command-line options for the agents of a batch run. */
export type AgentFlags = {
  model?: string;
  provider?: string;
  distribution?: string;
  seed?: number;
  maxTurns?: number;
  ephemeralSystemPrompt?: string;
  prefill?: string;
  redact?: boolean;
  verbose?: boolean;
};

type LoadedAgents = Omit<AgentsOptions, 'maxWaitMs'>;

/** The default number of turns is low, because a prompt that needs more steps rarely becomes a usable sample. */
const MAX_TURNS = 10;

/** Loads the settings and the model. `known` is the model that a batch run started with. */
export async function loadAgents(
  flags: AgentFlags,
  io: CliIo,
  known?: { provider: string; model: string },
): Promise<{ agents: LoadedAgents; warnings: readonly string[] }> {
  const prefillMessages =
    flags.prefill === undefined
      ? undefined
      : await readPrefill(resolve(io.workingDirectory, flags.prefill), '--prefill');
  const home = resolveHome(io.env);
  const { provider = known?.provider, model = known?.model } = flags;
  const { settings, models } = await loadModels({ home, env: io.env, flags: { provider, model } });
  const [route] = models?.routes ?? [];
  if (route === undefined || models === undefined) {
    throw new ConfigurationError('No model is configured.', {
      hint: 'Run `hermes setup`, or pass --provider and --model.',
    });
  }
  const { readFiles } = await import('../attachments/read-files.ts');
  const agents = {
    settings,
    route,
    auxiliaryRoutes: models.auxiliaryRoutes,
    maxTurns: flags.maxTurns ?? MAX_TURNS,
    readAttachments: readFiles,
    redact: flags.redact ?? settings.trajectories?.redact,
    verbose: flags.verbose,
    template: await templateOf(settings),
    ...(flags.ephemeralSystemPrompt !== undefined && { ephemeralSystemPrompt: flags.ephemeralSystemPrompt }),
    ...(prefillMessages !== undefined && { prefillMessages }),
  };
  return { agents, warnings: [...settings.warnings, ...models.warnings] };
}
