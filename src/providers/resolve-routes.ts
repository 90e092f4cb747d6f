import type { ConfigurationError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { AuxiliaryRoutes, RouteSource } from '../contracts/index.ts';
import { type ChoiceOrigin, choosePrimary, type RouteFlags } from './choose-provider.ts';
import { toCandidate } from './route-candidate.ts';

export type ResolvedRoutes = {
  /** The primary first, then the fallbacks in order. */
  routes: RouteSource[];
  /** Where the choice of the primary came from: in general, and the very place. */
  source: { origin: ChoiceOrigin; place: string };
  warnings: string[];
  /** The chains of the tasks beside the chat. */
  auxiliaryRoutes: AuxiliaryRoutes;
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
    // Worked out when a task first asks: most runs have none.
    auxiliaryRoutes: async (task) =>
      (await import('./auxiliary-routes.ts')).resolveAuxiliaryRoutes(settings, flags, task),
  };
}
