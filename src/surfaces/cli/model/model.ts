import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, loadSettings, resolveHome } from '../../../config/index.ts';
import type { ApiMode } from '../../../contracts/index.ts';
import { describeRoutes, type RouteDescription } from '../../../providers/index.ts';
import {
  checkModel,
  selectModel,
  describeFacts,
  type RequestedModel,
  saveModel,
} from '../../../runtime/models/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { writeWarning } from '../report-error.ts';
import { writeJson } from '../sessions/write-json.ts';
import { formatRouteLine } from '../status/format-status.ts';
import { printable } from '../style.ts';

/** `hermes model`: asks in a terminal. The exit code is 1 if the user cancelled. */
export async function pickModel(io: CliIo, signal: AbortSignal): Promise<number> {
  if (!isTerminal(io)) {
    throw new ConfigurationError('`hermes model` needs a terminal to ask in.', {
      hint: 'Use `hermes model set PROVIDER MODEL`, or `hermes model show`.',
    });
  }
  const { chooseInTerminal } = await import('./choose-in-terminal.ts');
  const options = { title: 'Choose a model', probe: false, test: false, signal };
  return (await chooseInTerminal(io, resolveHome(io.env), options)) === 'left' ? 1 : 0;
}

type EndpointOptions = { baseUrl?: string; apiKeyEnv?: string; apiMode?: ApiMode };
export type SetOptions = EndpointOptions & { force?: boolean; offline?: boolean };

/** `hermes model set`: saves a model without asking. */
export async function setModel(options: SetOptions & { provider: string; model?: string }, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  const chosen = selectModel(settings, toRequestedModel(options));
  const doubts = await checkModel(settings, chosen, options);
  await saveModel(settings, chosen);
  io.stdout.write(`Saved ${chosen.provider.name} with ${printable(chosen.model)} in ${homePaths(home).configFile}.\n`);
  writeWarnings(io, [...chosen.warnings, ...doubts]);
  return 0;
}

export function toRequestedModel({
  provider,
  model,
  baseUrl,
  apiMode,
  apiKeyEnv,
}: EndpointOptions & RequestedModel): RequestedModel {
  if (apiKeyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(apiKeyEnv)) {
    throw new ConfigurationError('--api-key-env expects the name of an environment variable, not the key itself.', {
      hint: 'For example --api-key-env OPENROUTER_API_KEY.',
    });
  }
  return { provider, model, baseUrl, apiMode, keyVariable: apiKeyEnv };
}

export function writeWarnings(io: CliIo, warnings: readonly string[]): void {
  for (const warning of warnings) writeWarning(io, warning);
}

/**
 * `hermes model show`: shows the model that a chat would use, without network access. The exit code is 1 if there is
 * none.
 */
export async function showModel({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const [primary, ...fallbacks] = await describeRoutes(settings);
  const { reasoningEffort, speed } = settings;
  if (json) writeJson(io.stdout, { ...primary, fallbacks, reasoningEffort, serviceTier: speed });
  else if (primary === undefined) io.stdout.write('No model is configured: run `hermes setup` or `hermes model`.\n');
  else io.stdout.write(describe(primary));
  return primary === undefined || primary.problem !== undefined ? 1 : 0;
}

function describe(primary: RouteDescription): string {
  const { problem, facts } = primary;
  const known = facts && describeFacts(facts);
  const lines = [
    formatRouteLine(primary),
    ...(known ? [known] : []),
    ...(problem ? [[problem.message, problem.hint].filter(Boolean).join(' ')] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
