import { ConfigurationError } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { ApiMode, CacheTtl, ModelFacts } from '../contracts/index.ts';
import { collectFacts } from './catalogue/index.ts';
import { type ChoiceOrigin, choosePrimary, type RouteFlags } from './choose-provider.ts';
import { toEndpoint } from './endpoint.ts';
import { factsSourceOf } from './facts-source.ts';
import { findAddress } from './find-address.ts';
import { findKey } from './find-credential.ts';
import { findProvider } from './find-provider.ts';

/** A route and the reasons for each part of it, for whoever asks. Nothing in it is secret. */
export type RouteDescription = {
  /** `fallback` for all but the first. */
  origin: ChoiceOrigin | 'fallback';
  provider: string;
  /** As people know it. */
  name?: string;
  model?: string;
  baseUrl?: string;
  apiMode?: ApiMode;
  /** How long its provider is asked to keep what it has read, where it takes cache marks. */
  cacheTtl?: CacheTtl;
  /** Where each part was written. */
  places: { provider?: string; model?: string; baseUrl?: string };
  /** Where the key was found, and its end, so that two keys can be told apart. */
  key?: { place: string; ending?: string };
  /** What is known of the model without asking anybody. */
  facts?: ModelFacts;
  /** What the person should know, though it works. */
  warnings?: readonly string[];
  /** Why it cannot be opened, and what to do. */
  problem?: { message: string; hint?: string };
};

/** The whole chain as far as it can be described; empty where nothing is configured. Nothing is sent to anyone. */
export async function describeRoutes(settings: Settings, flags: RouteFlags = {}): Promise<RouteDescription[]> {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) return [];
  const { cacheTtlOf, chooseApiMode } = await import('../llm/index.ts');
  const choices = [primary, ...settings.fallbacks.map((choice) => ({ ...choice, origin: 'fallback' as const }))];
  return choices.map((choice) => {
    const description = describeParts(settings, choice);
    try {
      const endpoint = toEndpoint(settings, choice);
      const { baseUrl, explicitApiMode: explicit, providerApiMode: provider } = endpoint;
      if (endpoint.warnings?.length) description.warnings = endpoint.warnings;
      // A program has no API mode: it is not spoken to over HTTP.
      if (endpoint.command !== undefined) return description;
      const apiMode = chooseApiMode({ explicit, provider, baseUrl });
      const cacheTtl = cacheTtlOf({ ...endpoint, apiMode });
      Object.assign(description, { apiMode }, cacheTtl && { cacheTtl });
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      description.problem = { message: thrown.message, hint: thrown.hint };
    }
    return description;
  });
}

type Choice = ModelChoice & { provider: string; origin: RouteDescription['origin'] };

/** Each part on its own: a key that is missing does not hide where the address came from. */
function describeParts(settings: Settings, choice: Choice): RouteDescription {
  const { origin, providerPlace, modelPlace } = choice;
  const description: RouteDescription = {
    origin,
    provider: choice.provider,
    model: choice.model,
    places: { provider: providerPlace, model: modelPlace },
  };
  try {
    const provider = findProvider(settings, choice.provider);
    const { defaultModel, name } = provider;
    Object.assign(description, { provider: provider.id, name, model: choice.model ?? defaultModel });
    if (choice.model === undefined && defaultModel !== undefined) {
      description.places.model = provider.modelPlace ?? `the default of ${name}`;
    }
    const { baseUrl, place } = findAddress(settings, provider, choice);
    description.baseUrl = baseUrl;
    description.places.baseUrl = place;
    const { model } = description;
    if (model) description.facts = collectFacts(model, factsSourceOf(settings, provider, choice, { model, baseUrl }));
    const key = provider.authType === 'command' ? undefined : findKey(settings, provider, choice, baseUrl);
    if (key !== undefined) description.key = { place: key.place, ending: endingOf(key.secret) };
  } catch (thrown) {
    // What is wrong is said by whoever opens the route.
    if (!(thrown instanceof ConfigurationError)) throw thrown;
  }
  return description;
}

const ENDING_LENGTH = 4;

/** The last characters of a long key; of a short one they would be too much of it. */
function endingOf(secret: string): string | undefined {
  return secret.length >= 5 * ENDING_LENGTH ? secret.slice(-ENDING_LENGTH) : undefined;
}
