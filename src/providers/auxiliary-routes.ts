import type { ModelChoice, Settings } from '../config/index.ts';
import type { AuxiliaryTask, RouteSource } from '../contracts/index.ts';
import { choosePrimary } from './choose-provider.ts';
import { hostOf, lookUpProvider } from './find-provider.ts';
import { fallbacksOf, limitSharedKey } from './shared-key.ts';
import { type RouteCandidate, toCandidate } from './route-candidate.ts';

type NamedChoice = ModelChoice & { provider: string };

/**
 * The routes of an auxiliary task, in order: its own model and fallbacks, then those of the chat. They are created by
 * the same code as the chat's own routes, so keys are bound to their hosts here too. `primary` is the model of the
 * chat, which may differ from the configured one.
 */
export function resolveAuxiliaryRoutes(
  settings: Settings,
  primary: NamedChoice | undefined,
  task: AuxiliaryTask,
): RouteSource[] {
  const own = choicesOfTask(settings, task, primary);
  const main = primary === undefined ? [] : [primary, ...fallbacksOf(settings, primary)];
  const candidates = [...own, ...main].map((entry) => toCandidate(settings, entry));
  return withoutRepeats(candidates).map(({ source }) => source);
}

/** The models configured for a task, without those of the chat. */
export function choicesOfTask(
  settings: Settings,
  task: AuxiliaryTask,
  primary: NamedChoice | undefined = choosePrimary(settings, {}),
): NamedChoice[] {
  const { choice = {}, fallbacks = [] } = settings.auxiliary[task] ?? {};
  return [choice, ...fallbacks]
    .flatMap((entry) => resolveEntry(settings, entry, primary) ?? [])
    .map((entry) => limitSharedKey(settings, entry, primary));
}

/** Resolves a config entry; undefined if it adds nothing to the models of the chat. */
function resolveEntry(
  settings: Settings,
  entry: ModelChoice,
  primary: NamedChoice | undefined,
): NamedChoice | undefined {
  const asked = entry.provider?.toLowerCase() ?? 'auto';
  const named = asked === 'auto' || asked === 'main' ? undefined : entry.provider;
  // A base URL and a key belong together; nothing configured elsewhere is mixed in.
  if (entry.baseUrl !== undefined) return { ...entry, provider: named ?? 'custom' };
  if (named !== undefined) return namedChoice(settings, entry, named);
  if (primary === undefined || entry.model !== undefined) return primary && withModel(primary, entry.model);
  return asked === 'main' ? primary : cheapChoice(settings, primary);
}

/** Resolves the entry like a command-line choice, but without a model it uses the cheap one. */
function namedChoice(settings: Settings, entry: ModelChoice, provider: string): NamedChoice {
  const { model, apiKey, request, providerLocation } = entry;
  // An entry with its own key or headers means the provider itself, not a base URL configured for the chat.
  const asked =
    apiKey === undefined && request === undefined ? choosePrimary(settings, { provider, model }) : undefined;
  const choice = {
    ...(asked ?? { provider, model, apiKey, request }),
    providerLocation,
    apiMode: entry.apiMode ?? asked?.apiMode,
    contextLength: entry.contextLength ?? asked?.contextLength,
  };
  return model === undefined ? (cheapChoice(settings, choice) ?? choice) : choice;
}

/** The provider's cheap model, but only at the provider's own host: another host may not have it. */
function cheapChoice(settings: Settings, choice: NamedChoice): NamedChoice | undefined {
  const provider = lookUpProvider(settings, choice.provider);
  if (provider?.auxiliaryModel === undefined || provider.baseUrl === undefined) return undefined;
  const isElsewhere = choice.baseUrl !== undefined && hostOf(choice.baseUrl) !== hostOf(provider.baseUrl);
  return isElsewhere ? undefined : withModel(choice, provider.auxiliaryModel);
}

function withModel(choice: NamedChoice, model: string | undefined): NamedChoice {
  // The configured context window applies only to the model it was set for.
  return model === choice.model ? choice : { ...choice, model, contextLength: undefined };
}

/** Drops routes with the same provider, model, base URL and key. */
function withoutRepeats(candidates: readonly RouteCandidate[]): RouteCandidate[] {
  const seen = new Set<string>();
  return candidates.filter((candidate) => {
    if ('problem' in candidate) return true;
    const { provider, model, baseUrl, credential, bound, extraBody } = candidate.endpoint;
    const key = JSON.stringify([provider, model, baseUrl, credential?.secret, bound, extraBody]);
    return !seen.has(key) && seen.add(key);
  });
}
