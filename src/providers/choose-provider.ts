import { homePaths, type ModelChoice, variableLocation, type Settings } from '../config/index.ts';
import { storedProviders } from './credentials/auth-file.ts';
import { lookUpProvider } from './find-provider.ts';
import { PROVIDERS } from './provider-table.ts';

/** The provider and model from the command line or the caller. */
export type RouteFlags = { provider?: string; model?: string };

/** The choice source. */
export type ChoiceSource = 'explicit' | 'config' | 'environment' | 'auto';

export type PrimaryChoice = ModelChoice & { provider: string; origin: ChoiceSource };

/**
 * Chooses the provider and model of a session: the explicit choice, else the configuration, else the environment,
 * else the first provider with a key. Undefined if nothing is configured.
 */
export function choosePrimary(settings: Settings, flags: RouteFlags): PrimaryChoice | undefined {
  const asked = isNamed(flags.provider) ? flags.provider : undefined;
  if (asked !== undefined) return explicitChoice(settings, asked, flags.model);
  return savedChoice(settings, flags.model) ?? environmentChoice(settings, flags.model);
}

function explicitChoice(settings: Settings, provider: string, model: string | undefined): PrimaryChoice {
  const saved = savedChoice(settings, model);
  const explicit = { provider, providerLocation: '--provider', origin: 'explicit', sharedKey: true } as const;
  // The configured base URL and key belong to the configured provider and are used only with it.
  if (saved && isSameProvider(settings, saved.provider, provider)) return { ...saved, ...explicit };
  return { ...modelOf(settings, provider, model), ...explicit };
}

function savedChoice(settings: Settings, asked: string | undefined): PrimaryChoice | undefined {
  const saved = settings.model;
  const named = isNamed(saved.provider) ? saved.provider : undefined;
  if (named === undefined && saved.baseUrl === undefined && saved.apiKey === undefined) return undefined;
  // A key without a base URL or provider belongs to the automatic choice.
  const provider = named ?? (saved.baseUrl === undefined ? 'openrouter' : 'custom');
  const { model, modelLocation } =
    asked === undefined && saved.model !== undefined ? saved : modelOf(settings, provider, asked);
  return {
    ...saved,
    provider,
    providerLocation: named === undefined ? (saved.baseUrlLocation ?? saved.apiKeyLocation) : saved.providerLocation,
    model,
    modelLocation,
    // The configured context window belongs to the configured model.
    contextLength: model === saved.model ? saved.contextLength : undefined,
    origin: 'config',
    sharedKey: saved.sharedKey ?? true,
  };
}

function environmentChoice(settings: Settings, asked: string | undefined): PrimaryChoice | undefined {
  const { variables, model: saved } = settings;
  const from = (name: string) => ({ providerLocation: variableLocation(settings, name) });
  const choose = (provider: string, origin: ChoiceSource, rest: ModelChoice): PrimaryChoice => {
    // A model configured without a provider is used with any provider.
    const named = asked === undefined && saved.model !== undefined ? saved : modelOf(settings, provider, asked);
    const contextLength = named.model === saved.model ? saved.contextLength : undefined;
    const { model, modelLocation } = named;
    const { apiMode } = saved;
    return { ...rest, provider, origin, model, modelLocation, contextLength, apiMode, sharedKey: true };
  };

  const named = variables['HERMES_INFERENCE_PROVIDER'];
  if (isNamed(named)) return choose(named, 'environment', from('HERMES_INFERENCE_PROVIDER'));
  if (variables['OPENAI_BASE_URL']) return choose('custom', 'environment', from('OPENAI_BASE_URL'));
  const first = firstKey(settings);
  if (first !== undefined) return choose(first.provider, 'auto', from(first.variable));
  const stored = firstStored(settings);
  return stored === undefined
    ? undefined
    : choose(stored, 'auto', { providerLocation: homePaths(settings.home).authFile });
}

/** The first provider of the table with a key. Variables that other programs use too do not select a provider. */
function firstKey({ variables }: Settings): { provider: string; variable: string } | undefined {
  for (const row of PROVIDERS) {
    if (row.id === 'custom') continue;
    const variable = row.keyVariables.find((name) => variables[name] && !row.sharedVariables?.includes(name));
    if (variable !== undefined) return { provider: row.id, variable };
  }
  return undefined;
}

/** The first provider of the table with a credential in auth.json. */
function firstStored(settings: Settings): string | undefined {
  const stored = storedProviders(settings.home);
  return stored.length === 0 ? undefined : PROVIDERS.find((row) => stored.includes(row.id))?.id;
}

/** The explicit model, else that of the environment unless it belongs to another provider. */
function modelOf(settings: Settings, provider: string, asked: string | undefined): ModelChoice {
  if (asked !== undefined) return { model: asked, modelLocation: '--model' };
  const { HERMES_INFERENCE_MODEL: model, HERMES_INFERENCE_PROVIDER: owner } = settings.variables;
  if (!model || (isNamed(owner) && !isSameProvider(settings, owner, provider))) return {};
  return { model, modelLocation: variableLocation(settings, 'HERMES_INFERENCE_MODEL') };
}

/** Existing files and scripts use `auto` for "not chosen". */
function isNamed(provider: string | undefined): provider is string {
  return provider !== undefined && provider !== '' && provider !== 'auto';
}

function isSameProvider(settings: Settings, a: string, b: string): boolean {
  const found = lookUpProvider(settings, a)?.id;
  return found !== undefined && found === lookUpProvider(settings, b)?.id;
}
