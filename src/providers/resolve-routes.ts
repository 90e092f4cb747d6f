import { type ConfigurationError, HermesError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { AuxiliaryRoutes, ModelRoute, RouteSource } from '../contracts/index.ts';
import { type ChoiceOrigin, choosePrimary, type RouteFlags } from './choose-provider.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { type RouteCandidate, toCandidate } from './route-candidate.ts';

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
  const problems = problemsOf(candidates);
  if (problems.length === candidates.length) throw problems[0] as ConfigurationError;
  const remarks = candidates.flatMap((candidate) =>
    'endpoint' in candidate ? (candidate.endpoint.warnings ?? []) : [],
  );
  return {
    routes: candidates.map((candidate) => candidate.source),
    source: { origin: primary.origin, place: primary.providerPlace ?? 'the request' },
    // What is wrong with the first one is said when the next one takes over.
    warnings: [...problemsOf(candidates.slice(1)).map(describeProblem), ...remarks],
    // Worked out when a task first asks: most runs have none.
    auxiliaryRoutes: async (task) =>
      (await import('./auxiliary-routes.ts')).resolveAuxiliaryRoutes(settings, flags, task),
  };
}

function problemsOf(candidates: readonly RouteCandidate[]): ConfigurationError[] {
  return candidates.flatMap((candidate) => ('problem' in candidate ? [candidate.problem] : []));
}

function describeProblem({ message, hint }: ConfigurationError): string {
  return [message, hint].filter(Boolean).join(' ');
}

/** A route that builds requests but cannot send them, to inspect them. */
export async function openOffline(settings: Settings, flags: RouteFlags): Promise<ModelRoute> {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) throw new HermesError('No model is configured.');
  const endpoint = toEndpoint(settings, primary);
  if (endpoint.command !== undefined) throw new HermesError(`${endpoint.provider} is a program and gets no requests.`);
  const { createModelClient, chooseApiMode, cacheTtlOf } = await import('../llm/index.ts');
  const { provider, model, baseUrl, quirks, headers, cacheTtl, contextLength } = endpoint;
  const apiMode = chooseApiMode({
    explicit: endpoint.explicitApiMode,
    provider: endpoint.providerApiMode,
    baseUrl,
  });
  const way = { apiMode, baseUrl, model, quirks, headers, cacheTtl, contextLength };
  const client = createModelClient({ ...way, stallTimeoutMs: 1, transport: noTransport(endpoint) });
  return { provider, model, baseUrl, apiMode, contextLength, client, cacheTtl: cacheTtlOf(way) };
}

function noTransport({ provider }: Endpoint) {
  const refuse = () => Promise.reject(new HermesError(`Nothing is sent to ${provider} here.`));
  return { send: refuse, close: () => undefined };
}
