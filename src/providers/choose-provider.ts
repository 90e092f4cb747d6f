import type { ModelChoice, Settings } from '../config/index.ts';
import { storedProviders } from './credentials/auth-file.ts';
import { lookUpProvider } from './find-provider.ts';
import { PROVIDERS } from './provider-table.ts';

/** What was asked for on the command line or by a caller. */
export type RouteFlags = { provider?: string; model?: string };

/** Where the choice came from. */
export type ChoiceOrigin = 'explicit' | 'config' | 'environment' | 'auto';

export type PrimaryChoice = ModelChoice & { provider: string; origin: ChoiceOrigin };

/**
 * Which provider and model a session uses: what was asked for, else what was saved, else what the environment says,
 * else the first provider with a key. Undefined where none of them says anything.
 */
export function choosePrimary(settings: Settings, flags: RouteFlags): PrimaryChoice | undefined {
  if (flags.provider !== undefined) return explicitChoice(settings, flags.provider, flags.model);
  return savedChoice(settings, flags.model) ?? environmentChoice(settings, flags.model);
}

function explicitChoice(settings: Settings, provider: string, model: string | undefined): PrimaryChoice {
  const saved = savedChoice(settings, model);
  const asked = lookUpProvider(settings, provider);
  // The saved address and key belong to the saved provider; they only count when that one was asked for.
  if (saved && asked && lookUpProvider(settings, saved.provider)?.id === asked.id) {
    return { ...saved, origin: 'explicit' };
  }
  const baseUrl = provider === 'custom' ? settings.variables['OPENAI_BASE_URL'] : undefined;
  return { provider, model, baseUrl: baseUrl || undefined, origin: 'explicit' };
}

function savedChoice(settings: Settings, model: string | undefined): PrimaryChoice | undefined {
  const saved = settings.model;
  const provider = saved.provider === 'auto' ? undefined : saved.provider;
  if (provider === undefined && saved.baseUrl === undefined && saved.apiKey === undefined) return undefined;
  const chosen = model ?? saved.model;
  return {
    ...saved,
    // A key without an address or a provider can only be meant for the automatic path.
    provider: provider ?? (saved.baseUrl === undefined ? 'openrouter' : 'custom'),
    model: chosen,
    // The saved window is that of the saved model.
    contextLength: chosen === saved.model ? saved.contextLength : undefined,
    origin: 'config',
  };
}

function environmentChoice(settings: Settings, asked: string | undefined): PrimaryChoice | undefined {
  const { variables } = settings;
  const model = asked ?? settings.model.model ?? (variables['HERMES_INFERENCE_MODEL'] || undefined);
  const contextLength = model === settings.model.model ? settings.model.contextLength : undefined;
  const rest = { model, contextLength, apiMode: settings.model.apiMode };

  const named = variables['HERMES_INFERENCE_PROVIDER'];
  if (named && named !== 'auto') {
    return { ...rest, provider: named, providerPlace: 'HERMES_INFERENCE_PROVIDER', origin: 'environment' };
  }
  const baseUrl = variables['OPENAI_BASE_URL'];
  if (baseUrl) return { ...rest, provider: 'custom', baseUrl, origin: 'environment' };

  const withKey = PROVIDERS.find((row) => row.id !== 'custom' && row.keyVariables.some((name) => variables[name]));
  const provider = withKey?.id ?? firstStored(settings);
  return provider === undefined ? undefined : { ...rest, provider, origin: 'auto' };
}

/** The first provider of the table for which auth.json has a credential. */
function firstStored(settings: Settings): string | undefined {
  const stored = storedProviders(settings.home);
  return stored.length === 0 ? undefined : PROVIDERS.find((row) => stored.includes(row.id))?.id;
}
