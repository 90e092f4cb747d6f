import { ConfigurationError } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { CacheTtlSetting, ModelFacts, ModelRoute } from '../contracts/index.ts';
import { collectFacts } from './catalogue/index.ts';
import { type ChoiceSource, choosePrimary, type RouteFlags } from './choose-provider.ts';
import { openCloud } from './cloud/open-cloud.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { factsSourceOf } from './facts-source.ts';
import { findBaseUrl } from './find-base-url.ts';
import { findKey } from './find-credential.ts';
import { findProvider } from './find-provider.ts';
import { fallbacksOf } from './shared-key.ts';

/** A route and where each part of it comes from, for display. It contains no secrets. */
export type RouteDescription = {
  /** `fallback` for all but the first. */
  origin: ChoiceSource | 'fallback';
  provider: string;
  /** The display name. */
  name?: string;
  model?: string;
  baseUrl?: string;
  apiMode?: ModelRoute['apiMode'];
  /** The lifetime of cache entries, if the provider accepts cache markers. */
  cacheTtl?: CacheTtlSetting;
  /** The config location of each part. */
  places: { provider?: string; model?: string; baseUrl?: string };
  /** Where the key was found, and its last characters to distinguish two keys. */
  key?: { place: string; ending?: string };
  /** The model facts that are known without a request. */
  facts?: ModelFacts;
  /** Problems that do not prevent the use of the route. */
  warnings?: readonly string[];
  /** Why it cannot be opened, and what to do. */
  problem?: { message: string; hint?: string };
};

/** Describes the whole route chain; empty if nothing is configured. Sends no requests. */
export async function describeRoutes(settings: Settings, flags: RouteFlags = {}): Promise<RouteDescription[]> {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) return [];
  const { cacheTtlOf, chooseApiMode } = await import('../llm/index.ts');
  const choices = [
    primary,
    ...fallbacksOf(settings, primary).map((choice) => ({ ...choice, origin: 'fallback' as const })),
  ];
  const describe = async (choice: Choice): Promise<RouteDescription> => {
    const description = describeParts(settings, choice);
    try {
      const endpoint = toEndpoint(settings, choice);
      const { baseUrl, explicitApiMode: explicit, providerApiMode: provider } = endpoint;
      if (endpoint.warnings?.length) description.warnings = endpoint.warnings;
      // A model command has no API mode because it does not use HTTP.
      if (endpoint.command !== undefined) return description;
      if (endpoint.cloud?.isOwn) {
        // The built-in address is a placeholder: the settings of the cloud determine the address.
        description.baseUrl = undefined;
        description.places.baseUrl = `the settings of ${endpoint.cloud.name}`;
      }
      const cloud = await openOfflineCloud(endpoint);
      if (cloud !== undefined) description.baseUrl = cloud.baseUrl;
      const apiMode = cloud?.apiMode ?? chooseApiMode({ explicit, provider, baseUrl });
      const cacheTtl = cacheTtlOf({ ...endpoint, apiMode });
      Object.assign(description, { apiMode }, cacheTtl && { cacheTtl });
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      description.problem = { message: thrown.message, hint: thrown.hint };
    }
    return description;
  };
  return Promise.all(choices.map(describe));
}

/** The address of an endpoint in a cloud, without a request for the project of this machine. */
export async function openOfflineCloud(endpoint: Endpoint) {
  if (endpoint.cloud === undefined) return undefined;
  return openCloud({ ...endpoint, variables: { ...endpoint.variables, NO_GCE_CHECK: 'true' } });
}

type Choice = ModelChoice & { provider: string; origin: RouteDescription['origin'] };

/** Describes each part separately, so that a missing key does not hide the source of the base URL. */
function describeParts(settings: Settings, choice: Choice): RouteDescription {
  const { origin, providerLocation, modelLocation } = choice;
  const description: RouteDescription = {
    origin,
    provider: choice.provider,
    model: choice.model,
    places: { provider: providerLocation, model: modelLocation },
  };
  try {
    const provider = findProvider(settings, choice.provider);
    const { defaultModel, name } = provider;
    Object.assign(description, { provider: provider.id, name, model: choice.model ?? defaultModel });
    if (choice.model === undefined && defaultModel !== undefined) {
      description.places.model = provider.modelLocation ?? `the default of ${name}`;
    }
    const { baseUrl, location } = findBaseUrl(settings, provider, choice);
    description.baseUrl = baseUrl;
    description.places.baseUrl = location;
    const { model } = description;
    if (model) description.facts = collectFacts(model, factsSourceOf(settings, provider, choice, { model, baseUrl }));
    const key = provider.authType === 'command' ? undefined : findKey(settings, provider, choice, baseUrl);
    if (key !== undefined) description.key = { place: key.place, ending: endingOf(key.secret) };
  } catch (thrown) {
    // The problem is reported by `toEndpoint`.
    if (!(thrown instanceof ConfigurationError)) throw thrown;
  }
  return description;
}

const ENDING_LENGTH = 4;

/** The last characters of a long key; undefined for a short one, which they would reveal. */
function endingOf(secret: string): string | undefined {
  return secret.length >= 5 * ENDING_LENGTH ? secret.slice(-ENDING_LENGTH) : undefined;
}
