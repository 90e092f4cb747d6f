import type { ConfigurationError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { AuxiliaryRoutes, RouteSource } from '../contracts/index.ts';
import { type ChoiceSource, choosePrimary, type RouteFlags } from './choose-provider.ts';
import { lookUpProvider } from './find-provider.ts';
import { fallbacksOf } from './shared-key.ts';
import { type RouteCandidate, toCandidate } from './route-candidate.ts';

export type ResolvedRoutes = {
  /** The primary first, then the fallbacks in order. */
  routes: RouteSource[];
  /** The choice source and the config location of the primary route. */
  source: { origin: ChoiceSource; place: string };
  warnings: string[];
  /** The route chains of the auxiliary tasks. */
  auxiliaryRoutes: AuxiliaryRoutes;
};

/**
 * The route chain of a session; undefined if nothing is configured. An entry with a problem fails when it is opened,
 * so that the next one is tried; if all entries have problems, this throws.
 */
export function resolveRoutes(
  settings: Settings,
  flags: RouteFlags = {},
  /** The settings that entries of auxiliary tasks refer to, if the model in `settings` was chosen for a session. */
  { configured = settings }: { configured?: Settings } = {},
): ResolvedRoutes | undefined {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) return undefined;
  const candidates = [primary, ...fallbacksOf(settings, primary)].map((choice) => toCandidate(settings, choice));
  const problems = problemsOf(candidates);
  if (problems.length === candidates.length) throw problems[0] as ConfigurationError;
  const remarks = candidates.flatMap((candidate) =>
    'endpoint' in candidate ? (candidate.endpoint.warnings ?? []) : [],
  );
  return {
    routes: candidates.map((candidate) => candidate.source),
    source: { origin: primary.origin, place: primary.providerLocation ?? 'the request' },
    // The problem of the first route is not included, because it is reported when the next route takes over.
    warnings: [...problemsOf(candidates.slice(1)).map(describeProblem), ...remarks, ...unknownProviders(settings)],
    // Resolved on first use, because most runs have no auxiliary task.
    auxiliaryRoutes: async (task) =>
      (await import('./auxiliary-routes.ts')).resolveAuxiliaryRoutes(configured, primary, task),
  };
}

function unknownProviders(settings: Settings): string[] {
  const names = Object.keys(settings.providers ?? {}).filter((name) => lookUpProvider(settings, name) === undefined);
  return names.map((name) => `providers.${name} in config.yaml is ignored, because there is no provider "${name}".`);
}

function problemsOf(candidates: readonly RouteCandidate[]): ConfigurationError[] {
  return candidates.flatMap((candidate) => ('problem' in candidate ? [candidate.problem] : []));
}

function describeProblem({ message, hint }: ConfigurationError): string {
  return [message, hint].filter(Boolean).join(' ');
}
