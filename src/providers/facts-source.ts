import type { Cost, Usage } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { ModelFacts } from '../contracts/index.ts';
import { collectFacts, estimateCost, type FactsSource } from './catalogue/index.ts';
import { isLocalEndpoint } from './find-base-url.ts';
import { hostOf, type KnownProvider, providerAt } from './find-provider.ts';
import { PROVIDERS } from './provider-table.ts';

/** Where the facts about the model of a choice come from. */
export function factsSourceOf(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  { model, baseUrl }: { model: string; baseUrl: string },
): FactsSource {
  return {
    configured: configuredFacts(settings, provider, choice, model),
    service: serviceAt(provider, baseUrl),
    local: isLocalEndpoint(baseUrl),
    home: settings.home,
  };
}

/** The facts from the configuration; the more specific setting wins. */
function configuredFacts(settings: Settings, provider: KnownProvider, choice: ModelChoice, model: string): ModelFacts {
  const named = settings.customProviders.find(({ name }) => name === provider.id);
  const contextLength = choice.contextLength;
  return {
    ...(provider.contextLength === undefined ? {} : { contextLength: provider.contextLength }),
    ...named?.models?.[model],
    ...overridesOf(settings, provider.id, model),
    ...(contextLength === undefined ? {} : { contextLength }),
  };
}

/** The entry of `model_overrides`; a key with a provider name applies only to that provider. */
function overridesOf(
  { modelOverrides = {} }: Pick<Settings, 'modelOverrides'>,
  provider: string,
  model: string,
): ModelFacts {
  return { ...modelOverrides[model], ...modelOverrides[`${provider}/${model}`] };
}

/** A user-defined endpoint may have the name of a provider but be something else, so only its address counts. */
function serviceAt(provider: KnownProvider, baseUrl: string): string | undefined {
  const row = PROVIDERS.find(({ id }) => id === provider.id);
  const isOwn = row?.baseUrl !== undefined && row.baseUrl === provider.baseUrl;
  return isOwn && hostOf(row.baseUrl as string) === hostOf(baseUrl) ? row.id : providerAt(baseUrl)?.id;
}

/** The cost of a call outside any route, from the configuration and the catalogue; undefined if neither has a price. */
export function priceCall(
  settings: Pick<Settings, 'modelOverrides' | 'home'>,
  { provider, model, baseUrl }: { provider: string; model: string; baseUrl: string },
  usage: Usage,
): Cost | undefined {
  const written = overridesOf(settings, provider, model);
  const where = { service: providerAt(baseUrl)?.id, local: isLocalEndpoint(baseUrl), home: settings.home };
  return estimateCost(collectFacts(model, { configured: written, ...where }), usage);
}
