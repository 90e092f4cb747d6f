import type { ModelChoice, Settings } from '../config/index.ts';
import type { AuxiliaryTask, RouteSource } from '../contracts/index.ts';
import { choosePrimary, type RouteFlags } from './choose-provider.ts';
import { hostOf, lookUpProvider } from './find-provider.ts';
import { type RouteCandidate, toCandidate } from './route-candidate.ts';

type NamedChoice = ModelChoice & { provider: string };

/**
 * The models that are asked for a task, in order: its own and its fallbacks, then those of the chat. All of them go
 * through the same door as the chat's own models, so a key finds no other way to a host.
 */
export function resolveAuxiliaryRoutes(settings: Settings, flags: RouteFlags, task: AuxiliaryTask): RouteSource[] {
  const primary = choosePrimary(settings, flags);
  const { choice = {}, fallbacks = [] } = settings.auxiliary[task] ?? {};
  const own = [choice, ...fallbacks].flatMap((entry) => ownChoice(settings, entry, primary) ?? []);
  const main = primary === undefined ? [] : [primary, ...settings.fallbacks];
  const candidates = [...own, ...main].map((entry) => toCandidate(settings, entry));
  return withoutRepeats(candidates).map(({ source }) => source);
}

/** What an entry means; undefined where it adds nothing to the chat's own models. */
function ownChoice(settings: Settings, entry: ModelChoice, primary: NamedChoice | undefined): NamedChoice | undefined {
  const asked = entry.provider?.toLowerCase() ?? 'auto';
  const named = asked === 'auto' || asked === 'main' ? undefined : entry.provider;
  // An address or a key belongs to what it was written beside; nothing that was saved elsewhere is mixed in.
  if (entry.baseUrl !== undefined) return { ...entry, provider: named ?? 'custom' };
  if (named !== undefined) return namedChoice(settings, entry, named);
  if (primary === undefined || entry.model !== undefined) return primary && withModel(primary, entry.model);
  return asked === 'main' ? primary : cheapChoice(settings, primary);
}

/** Just as if it had been asked for on the command line, except that without a model the cheap one is taken. */
function namedChoice(settings: Settings, entry: ModelChoice, provider: string): NamedChoice {
  const { model, apiKey, providerPlace } = entry;
  // With a key of its own it is the provider itself, and not the address that was saved for it.
  const asked = apiKey === undefined ? choosePrimary(settings, { provider, model }) : undefined;
  const choice = {
    ...(asked ?? { provider, model, apiKey }),
    providerPlace,
    apiMode: entry.apiMode ?? asked?.apiMode,
    contextLength: entry.contextLength ?? asked?.contextLength,
  };
  return model === undefined ? (cheapChoice(settings, choice) ?? choice) : choice;
}

/** The provider's cheap model, where the choice is that provider at its own host: another host may not have it. */
function cheapChoice(settings: Settings, choice: NamedChoice): NamedChoice | undefined {
  const provider = lookUpProvider(settings, choice.provider);
  if (provider?.auxiliaryModel === undefined || provider.baseUrl === undefined) return undefined;
  const isElsewhere = choice.baseUrl !== undefined && hostOf(choice.baseUrl) !== hostOf(provider.baseUrl);
  return isElsewhere ? undefined : withModel(choice, provider.auxiliaryModel);
}

function withModel(choice: NamedChoice, model: string | undefined): NamedChoice {
  // The window is that of the model it was written beside.
  return model === choice.model ? choice : { ...choice, model, contextLength: undefined };
}

/** The same model at the same place with the same key is asked once. */
function withoutRepeats(candidates: readonly RouteCandidate[]): RouteCandidate[] {
  const seen = new Set<string>();
  return candidates.filter((candidate) => {
    if ('problem' in candidate) return true;
    const { provider, model, baseUrl, credential } = candidate.endpoint;
    const key = JSON.stringify([provider, model, baseUrl, credential?.secret]);
    return !seen.has(key) && seen.add(key);
  });
}
