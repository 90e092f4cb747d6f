import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, loadSettings, resolveHome } from '../../../config/index.ts';
import type { ApiMode } from '../../../contracts/index.ts';
import { checkModel, chooseModel, type ModelWish, saveModel } from '../../../runtime/models/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';

export type EndpointOptions = { baseUrl?: string; apiKeyEnv?: string; apiMode?: ApiMode };
export type SetOptions = EndpointOptions & { force?: boolean; offline?: boolean };

/** `hermes model set`: saves a choice without asking anything. */
export async function setModel(options: SetOptions & { provider: string; model?: string }, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  const chosen = chooseModel(settings, toWish(options));
  const doubts = await checkModel(settings, chosen, options);
  await saveModel(settings, chosen);
  writeWarnings(io, [...chosen.warnings, ...doubts]);
  io.stdout.write(`Saved ${chosen.provider.name} with ${showable(chosen.model)} in ${homePaths(home).configFile}.\n`);
  return 0;
}

export function toWish({ provider, model, baseUrl, apiMode, apiKeyEnv }: EndpointOptions & ModelWish): ModelWish {
  if (apiKeyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(apiKeyEnv)) {
    throw new ConfigurationError('--api-key-env takes the name of a variable, not a key.', {
      hint: 'For example --api-key-env OPENROUTER_API_KEY.',
    });
  }
  return { provider, model, baseUrl, apiMode, keyVariable: apiKeyEnv };
}

export function writeWarnings(io: CliIo, warnings: readonly string[]): void {
  for (const warning of warnings) io.stderr.write(`hermes: ${showable(warning)}\n`);
}
