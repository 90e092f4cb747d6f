import type { ModelChoice, Settings } from '../config/index.ts';
import type { ModelFacts } from '../contracts/index.ts';
import type { FactsSource } from './catalogue/index.ts';
import { hostOf, type KnownProvider, providerAt } from './find-provider.ts';
import { isLocalEndpoint } from './local-endpoint.ts';
import { PROVIDERS } from './provider-table.ts';

/** Who knows something about the model of a choice. */
export function factsSourceOf(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  { model, baseUrl }: { model: string; baseUrl: string },
): FactsSource {
  return {
    written: writtenFacts(settings, provider, choice, model),
    service: serviceAt(provider, baseUrl),
    local: isLocalEndpoint(baseUrl),
    home: settings.home,
  };
}

/** The nearer to the choice it was written, the more it counts. */
function writtenFacts(settings: Settings, provider: KnownProvider, choice: ModelChoice, model: string): ModelFacts {
  const named = settings.customProviders.find(({ name }) => name === provider.id);
  const contextLength = choice.contextLength;
  return {
    ...(provider.contextLength === undefined ? {} : { contextLength: provider.contextLength }),
    ...named?.models?.[model],
    ...overridesOf(settings, provider.id, model),
    ...(contextLength === undefined ? {} : { contextLength }),
  };
}

/** What `model_overrides` says; with the name of a provider before it, a model is meant there and nowhere else. */
export function overridesOf(
  { modelOverrides = {} }: Pick<Settings, 'modelOverrides'>,
  provider: string,
  model: string,
): ModelFacts {
  return { ...modelOverrides[model], ...modelOverrides[`${provider}/${model}`] };
}

/** An endpoint the person named may have a provider's name and be something else, so only its address counts. */
function serviceAt(provider: KnownProvider, baseUrl: string): string | undefined {
  const row = PROVIDERS.find(({ id }) => id === provider.id);
  const isOwn = row?.baseUrl !== undefined && row.baseUrl === provider.baseUrl;
  return isOwn && hostOf(row.baseUrl as string) === hostOf(baseUrl) ? row.id : providerAt(baseUrl)?.id;
}
