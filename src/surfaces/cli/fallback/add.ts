import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome, type Settings, updateConfig } from '../../../config/index.ts';
import { lookUpProvider } from '../../../providers/index.ts';
import { checkModel, type ChosenModel, chooseModel } from '../../../runtime/models/index.ts';
import { withoutUndefined } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { type SetOptions, toWish, writeWarnings } from '../model/set.ts';
import { writeFallbacks } from './list.ts';

type AddOptions = SetOptions & { provider: string; model: string; json?: boolean };

/** `hermes fallback add`: at the end of the list. The short form for one, where a file has it, stays first. */
export async function addFallback(options: AddOptions, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  // What is saved for the first model is not lent to a fallback.
  const chosen = chooseModel({ ...settings, model: {} }, toWish(options));
  assertNew(settings, chosen);
  const doubts = await checkModel({ ...settings, model: {} }, chosen, options);
  await updateConfig(home, [{ path: ['fallback_providers'], add: entryOf(chosen) }]);
  writeWarnings(io, [...chosen.warnings, ...doubts]);
  await writeFallbacks(await loadSettings({ home, env: io.env }), options.json, io);
  return 0;
}

function entryOf({ provider, model, choice, keyVariable }: ChosenModel): Record<string, string> {
  return withoutUndefined({
    provider: provider.id,
    model,
    base_url: choice.baseUrl,
    api_key: keyVariable === undefined ? undefined : `\${${keyVariable}}`,
    api_mode: choice.apiMode,
  }) as Record<string, string>;
}

function assertNew(settings: Settings, { provider, model, choice }: ChosenModel): void {
  const isSame = (entry: { provider?: string; model?: string; baseUrl?: string }) =>
    entry.model === model &&
    lookUpProvider(settings, entry.provider ?? '')?.id === provider.id &&
    entry.baseUrl === choice.baseUrl;
  if (isSame(settings.model)) {
    throw new ConfigurationError(`${provider.id}/${model} is the first model already.`, {
      hint: 'A fallback is of use where it is another one.',
    });
  }
  if (settings.fallbacks.some(isSame)) {
    throw new ConfigurationError(`${provider.id}/${model} is a fallback already.`, {
      hint: '`hermes fallback list` shows them.',
    });
  }
}
