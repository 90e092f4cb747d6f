import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, isJsonObject, type JsonValue, type Message, parseJson } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { loadModels } from '../../../runtime/index.ts';
import { templateOf } from '../../../runtime/trajectories/index.ts';
import { fileErrorReason } from '../../../util/index.ts';
import type { AgentsOptions } from '../../batch/index.ts';
import type { CliIo } from '../cli-io.ts';

/** What the command line says about the agents of a run. */
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

type Loaded = Omit<AgentsOptions, 'patienceMs'>;

/** Training data wants an end: a prompt that needs more steps than this is mostly lost. */
const MAX_TURNS = 10;

/** The model and all that goes with it; `known` is what a run was begun with. */
export async function loadAgents(
  flags: AgentFlags,
  io: CliIo,
  known?: { provider: string; model: string },
): Promise<{ agents: Loaded; warnings: readonly string[] }> {
  const home = resolveHome(io.env);
  const { provider = known?.provider, model = known?.model } = flags;
  const { settings, models } = await loadModels({ home, env: io.env, flags: { provider, model } });
  const [route] = models?.routes ?? [];
  if (route === undefined || models === undefined) {
    throw new ConfigurationError('No model is configured.', {
      hint: 'Run `hermes setup`, or name one with --provider and --model.',
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
    ...(flags.prefill !== undefined && { prefillMessages: await readPrefill(flags.prefill, io.workingDirectory) }),
  };
  return { agents, warnings: [...settings.warnings, ...models.warnings] };
}

/** Messages that come before each prompt: `[{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]`. */
async function readPrefill(path: string, workingDirectory: string): Promise<Message[]> {
  const file = resolve(workingDirectory, path);
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`--prefill: ${file} cannot be read: ${fileErrorReason(thrown)}.`, { cause: thrown });
  });
  const value = parseJson(text);
  if (!Array.isArray(value)) throw wrong(file, 'it is no JSON list');
  const messages = value.map(readMessage);
  const at = messages.indexOf(undefined);
  if (at >= 0) throw wrong(file, `entry ${at + 1} is no message of "user" or "assistant" with a "content"`);
  return messages.filter((message) => message !== undefined);
}

function readMessage(value: JsonValue): Message | undefined {
  if (!isJsonObject(value)) return undefined;
  const { role, content } = value;
  return (role === 'user' || role === 'assistant') && typeof content === 'string' ? { role, content } : undefined;
}

function wrong(file: string, what: string): ConfigurationError {
  return new ConfigurationError(`--prefill: ${file} cannot be used: ${what}.`, {
    hint: 'It must be a list such as [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}].',
  });
}
