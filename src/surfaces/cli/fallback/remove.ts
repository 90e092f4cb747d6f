import { ConfigurationError } from '../../../base/index.ts';
import { type FallbackChoice, loadSettings, resolveHome, type Settings, updateConfig } from '../../../config/index.ts';
import { lookUpProvider } from '../../../providers/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeFallbacks } from './list.ts';

type Json = { json?: boolean };

export async function removeFallback(which: string, { json }: Json, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  const { path = [] } = findFallback(settings, which);
  const isLast = settings.fallbacks.filter((other) => other.path?.[0] === path[0]).length === 1;
  // A list without entries is taken out whole, unless it has some that are ignored and may be wanted again.
  const isWhole = isLast && !settings.warnings.some((warning) => warning.includes(`${String(path[0])}[`));
  await updateConfig(home, [{ path: isWhole ? path.slice(0, 1) : path, value: undefined }]);
  await writeFallbacks(await loadSettings({ home, env: io.env }), json, io);
  return 0;
}

export async function clearFallbacks({ json }: Json, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  await updateConfig(home, [
    { path: ['fallback_model'], value: undefined },
    { path: ['fallback_providers'], value: undefined },
  ]);
  await writeFallbacks(await loadSettings({ home, env: io.env }), json, io);
  return 0;
}

/** By its number, or by provider and model, whichever of its names the provider has there. */
function findFallback(settings: Settings, which: string): FallbackChoice {
  const { fallbacks } = settings;
  const byNumber = /^\d+$/.test(which) ? fallbacks[Number(which) - 1] : undefined;
  if (byNumber !== undefined) return byNumber;
  const [name = '', ...rest] = which.split('/');
  const idOf = (provider: string) => lookUpProvider(settings, provider)?.id ?? provider;
  const found = fallbacks.filter(({ provider, model }) => idOf(provider) === idOf(name) && model === rest.join('/'));
  if (found.length === 1) return found[0] as FallbackChoice;
  const names = fallbacks.map(({ provider, model }, index) => `${index + 1}. ${provider}/${model}`).join(', ');
  throw new ConfigurationError(found.length > 1 ? `There are several ${which}.` : `There is no fallback ${which}.`, {
    hint:
      names === '' ? 'There are none; `hermes fallback add PROVIDER MODEL` adds one.' : `Give its number: ${names}.`,
  });
}
