import { ConfigurationError } from '../../../base/index.ts';
import { type FallbackChoice, loadSettings, resolveHome, type Settings, updateConfig } from '../../../config/index.ts';
import { describeRoutes, lookUpProvider, type RouteDescription } from '../../../providers/index.ts';
import { checkModel, selectModel, type SelectedModel } from '../../../runtime/models/index.ts';
import { redactSecrets, withoutUndefined } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { type SetOptions, toRequestedModel, writeWarnings } from '../model/model.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';

export async function listFallbacks({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  await writeFallbacks(await loadSettings({ home: resolveHome(io.env), env: io.env }), json, io);
  return 0;
}

/** Prints the current list, with warnings about ignored entries. */
async function writeFallbacks(settings: Settings, json: boolean | undefined, io: CliIo): Promise<void> {
  const fallbacks = await describeFallbacks(settings);
  if (json) return writeJson(io.stdout, fallbacks);
  writeWarnings(io, settings.warnings);
  const lines = fallbacks.map((fallback, index) => `${index + 1}. ${describe(fallback)}\n`);
  const none = 'There are no fallbacks. Add one with `hermes fallback add PROVIDER MODEL`.\n';
  io.stdout.write(lines.length === 0 ? none : lines.join(''));
}

async function describeFallbacks(settings: Settings): Promise<RouteDescription[]> {
  const described = await describeRoutes(settings);
  if (described.length > 0) return described.slice(1);
  // Without a primary model nothing is resolved, but the list is still shown.
  return settings.fallbacks.map(({ provider, model }) => ({ origin: 'fallback', provider, model, places: {} }));
}

function describe({ provider, model, baseUrl, problem }: RouteDescription): string {
  const at = baseUrl === undefined ? '' : ` at ${redactSecrets(baseUrl)}`;
  const fault = problem === undefined ? '' : `: ${[problem.message, problem.hint].filter(Boolean).join(' ')}`;
  return printable(`${provider}/${model}${at}${fault}`);
}

type AddOptions = SetOptions & { provider: string; model: string; json?: boolean };

/** `hermes fallback add`: appends to the list. A single fallback in the short form (`fallback_model`) stays first. */
export async function addFallback(options: AddOptions, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const load = () => loadSettings({ home, env: io.env });
  const settings = await load();
  // The endpoint settings of the primary model do not apply to a fallback.
  const chosen = selectModel({ ...settings, model: {} }, toRequestedModel(options));
  assertNew(settings, chosen);
  const doubts = await checkModel({ ...settings, model: {} }, chosen, options);
  await updateConfig(home, async () => {
    // Checked again under the lock: another process may have added the same fallback.
    assertNew(await load(), chosen);
    return [{ path: ['fallback_providers'], add: entryOf(chosen) }];
  });
  writeWarnings(io, [...chosen.warnings, ...doubts]);
  await writeFallbacks(await loadSettings({ home, env: io.env }), options.json, io);
  return 0;
}

function entryOf({ provider, model, choice, keyVariable }: SelectedModel): Record<string, string> {
  return withoutUndefined({
    provider: provider.id,
    model,
    base_url: choice.baseUrl,
    api_key: keyVariable === undefined ? undefined : `\${${keyVariable}}`,
    api_mode: choice.apiMode,
  }) as Record<string, string>;
}

function assertNew(settings: Settings, { provider, model, choice }: SelectedModel): void {
  const isSame = (entry: { provider?: string; model?: string; baseUrl?: string }) =>
    entry.model === model &&
    lookUpProvider(settings, entry.provider ?? '')?.id === provider.id &&
    entry.baseUrl === choice.baseUrl;
  if (isSame(settings.model)) {
    throw new ConfigurationError(`${provider.id}/${model} is already the primary model.`, {
      hint: 'Choose a different model as the fallback.',
    });
  }
  if (settings.fallbacks.some(isSame)) {
    throw new ConfigurationError(`${provider.id}/${model} is already a fallback.`, {
      hint: '`hermes fallback list` shows all fallbacks.',
    });
  }
}

type Json = { json?: boolean };

export async function removeFallback(which: string, { json }: Json, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  await updateConfig(home, async () => {
    const settings = await loadSettings({ home, env: io.env });
    const { path = [] } = findFallback(settings, which);
    const isLast = settings.fallbacks.filter((other) => other.path?.[0] === path[0]).length === 1;
    // Removes an empty list completely, unless it still contains ignored entries that the user may want.
    const isWhole = isLast && !settings.warnings.some((warning) => warning.includes(`${String(path[0])}[`));
    return [{ path: isWhole ? path.slice(0, 1) : path, value: undefined }];
  });
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

/** Finds a fallback by its number, or by provider (any of its names) and model. */
function findFallback(settings: Settings, which: string): FallbackChoice {
  const { fallbacks } = settings;
  const byNumber = /^\d+$/.test(which) ? fallbacks[Number(which) - 1] : undefined;
  if (byNumber !== undefined) return byNumber;
  const [name = '', ...rest] = which.split('/');
  const idOf = (provider: string) => lookUpProvider(settings, provider)?.id ?? provider;
  const found = fallbacks.filter(({ provider, model }) => idOf(provider) === idOf(name) && model === rest.join('/'));
  if (found.length === 1) return found[0] as FallbackChoice;
  const names = fallbacks.map(({ provider, model }, index) => `${index + 1}. ${provider}/${model}`).join(', ');
  throw new ConfigurationError(
    found.length > 1 ? `There are several fallbacks ${which}.` : `There is no fallback ${which}.`,
    {
      hint:
        names === ''
          ? 'No fallbacks are configured; add one with `hermes fallback add PROVIDER MODEL`.'
          : `Configured fallbacks: ${names}. Pass a number, or PROVIDER/MODEL.`,
    },
  );
}
