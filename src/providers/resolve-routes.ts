import { ConfigurationError, errorMessage } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import { type ChoiceOrigin, choosePrimary, type RouteFlags } from './choose-provider.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { openRoute } from './open-route.ts';

export type ResolvedRoutes = {
  /** The primary first, then the fallbacks in order. */
  routes: RouteSource[];
  /** Where the choice of the primary came from: in general, and the very place. */
  source: { origin: ChoiceOrigin; place: string };
  warnings: string[];
};

/**
 * The chain of models a session uses; undefined where nothing at all is configured. An entry that cannot work fails
 * when it is opened, so that the next one is tried; a chain in which none can work fails here.
 */
export function resolveRoutes(settings: Settings, flags: RouteFlags = {}): ResolvedRoutes | undefined {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) return undefined;
  const candidates = [primary, ...settings.fallbacks].map((choice) => toCandidate(settings, choice));
  const problems = candidates.flatMap((candidate) => ('problem' in candidate ? [candidate.problem] : []));
  if (problems.length === candidates.length) throw problems[0] as ConfigurationError;
  const remarks = candidates.flatMap((candidate) =>
    'endpoint' in candidate ? (candidate.endpoint.warnings ?? []) : [],
  );
  return {
    routes: candidates.map((candidate) => candidate.source),
    source: { origin: primary.origin, place: primary.providerPlace ?? 'the request' },
    warnings: [...problems.map((problem) => [problem.message, problem.hint].filter(Boolean).join(' ')), ...remarks],
  };
}

type Candidate = { source: RouteSource; endpoint: Endpoint } | { source: RouteSource; problem: ConfigurationError };

function toCandidate(settings: Settings, choice: ModelChoice & { provider: string }): Candidate {
  try {
    const endpoint = toEndpoint(settings, choice);
    return { endpoint, source: toSource(endpoint) };
  } catch (thrown) {
    const problem = thrown instanceof ConfigurationError ? thrown : new ConfigurationError(errorMessage(thrown));
    const { provider, model = 'unknown' } = choice;
    return { problem, source: { provider, model, open: () => Promise.reject(problem) } };
  }
}

function toSource(endpoint: Endpoint): RouteSource {
  const { provider, model, baseUrl } = endpoint;
  return { provider, model, baseUrl, open: () => openRoute(endpoint) };
}
