import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, isJsonObject, type JsonValue, type Message, parseJson } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { loadModels } from '../../../runtime/index.ts';
import { templateOf } from '../../../runtime/trajectories/index.ts';
import { fileErrorReason } from '../../../util/index.ts';
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
    flags.prefill === undefined ? undefined : await readPrefill(flags.prefill, io.workingDirectory);
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

/**
 * Reads the messages to send before each prompt: `[{"role": "user", "content": "…"}, {"role": "assistant", "content":
 * "…"}]`.
 */
async function readPrefill(path: string, workingDirectory: string): Promise<Message[]> {
  const file = resolve(workingDirectory, path);
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`--prefill: cannot read ${file}: ${fileErrorReason(thrown)}.`, {
      hint: PREFILL_HINT,
      cause: thrown,
    });
  });
  const value = parseJson(text);
  if (!Array.isArray(value)) throw invalidPrefill(file, 'not a JSON array');
  const messages = value.map(readMessage);
  const at = messages.indexOf(undefined);
  if (at >= 0)
    throw invalidPrefill(file, `item ${at + 1} is not a message with the role "user" or "assistant" and a "content"`);
  return messages.filter((message) => message !== undefined);
}

function readMessage(value: JsonValue): Message | undefined {
  if (!isJsonObject(value)) return undefined;
  const { role, content } = value;
  return (role === 'user' || role === 'assistant') && typeof content === 'string' ? { role, content } : undefined;
}

const PREFILL_HINT =
  'Pass a JSON file with an array such as [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}].';

function invalidPrefill(file: string, what: string): ConfigurationError {
  return new ConfigurationError(`--prefill: ${file} is invalid: ${what}.`, {
    hint: PREFILL_HINT,
  });
}
