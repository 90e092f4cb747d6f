import { ConfigurationError } from '../../base/index.ts';
import type { ModelChoice, Settings } from '../../config/index.ts';
import { AUXILIARY_TASKS } from '../../contracts/index.ts';
import { choicesOfTask } from '../auxiliary-routes.ts';
import { choosePrimary } from '../choose-provider.ts';
import { openOfflineCloud } from '../describe-routes.ts';
import { findBaseUrl } from '../find-base-url.ts';
import { findKey } from '../find-credential.ts';
import { findProvider } from '../find-provider.ts';
import type { Endpoint } from '../endpoint.ts';
import { type RouteCandidate, toCandidate } from '../route-candidate.ts';
import { checkEndpoint, type Diagnosis, type CheckResult } from './check-endpoint.ts';
import { fallbacksOf } from '../shared-key.ts';

type Choice = ModelChoice & { provider: string };
type Named = { what: string; candidate: RouteCandidate; keyPlace: string | undefined };

/**
 * Checks every configured route: whether it can be opened and, unless offline, whether its host responds, accepts the
 * key and has the model. The checks run in parallel, and identical checks run once.
 */
export async function diagnoseRoutes(settings: Settings, { offline }: { offline: boolean }): Promise<Diagnosis[]> {
  const asked = new Map<string, Promise<CheckResult[]>>();
  const check = (endpoint: Endpoint, keyPlace: string | undefined) => {
    const { provider, model, baseUrl, credential } = endpoint;
    const key = JSON.stringify([provider, model, baseUrl, credential?.secret]);
    const running = asked.get(key) ?? checkEndpoint(endpoint, { keyPlace });
    asked.set(key, running);
    return running;
  };
  const diagnoses = namedCandidates(settings).map(async ({ what, candidate, keyPlace }): Promise<Diagnosis[]> => {
    const { provider, model } = candidate.source;
    const name = `${what} ${provider}/${model}`;
    if ('problem' in candidate) {
      const { message, hint } = candidate.problem;
      return [{ what: name, status: 'wrong', message, hint }];
    }
    const warnings = (candidate.endpoint.warnings ?? []).map((message) => ({ status: 'warning' as const, message }));
    const verdicts = offline ? await checkOffline(candidate.endpoint) : await check(candidate.endpoint, keyPlace);
    return [...warnings, ...verdicts].map((verdict) => ({ what: name, ...verdict }));
  });
  return (await Promise.all(diagnoses)).flat();
}

/** The address of a cloud may be incomplete; all other problems were found before. */
async function checkOffline(endpoint: Endpoint): Promise<CheckResult[]> {
  try {
    await openOfflineCloud(endpoint);
    return [{ status: 'ok', message: 'can be opened.' }];
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return [{ status: 'wrong', message: thrown.message, hint: thrown.hint }];
  }
}

function namedCandidates(settings: Settings): Named[] {
  const primary = choosePrimary(settings, {});
  const named = (what: string, choice: Choice): Named => ({
    what,
    candidate: toCandidate(settings, choice),
    keyPlace: placeOfKey(settings, choice),
  });
  const tasks = AUXILIARY_TASKS.filter((task) => settings.auxiliary[task]?.enabled === true);
  return [
    ...(primary === undefined ? [] : [named('model', primary)]),
    ...fallbacksOf(settings, primary).map((choice, index) => named(`fallback ${index + 1}`, choice)),
    // Tasks that use the primary model are omitted, because it is already in the list.
    ...tasks.flatMap((task) =>
      choicesOfTask(settings, task)
        .filter(({ provider, model }) => provider !== primary?.provider || model !== primary.model)
        .map((choice) => named(`auxiliary.${task}`, choice)),
    ),
  ];
}

/** The config location of the key, so that the user can find a rejected one. */
function placeOfKey(settings: Settings, choice: Choice): string | undefined {
  try {
    const provider = findProvider(settings, choice.provider);
    if (provider.authType === 'command') return undefined;
    return findKey(settings, provider, choice, findBaseUrl(settings, provider, choice).baseUrl)?.place;
  } catch (thrown) {
    // The problem is reported when the route is opened.
    if (thrown instanceof ConfigurationError) return undefined;
    throw thrown;
  }
}
