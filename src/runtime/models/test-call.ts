import { type Cost, HermesError, ModelError, NO_COST, systemClock, type Usage } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { ModelFacts, RouteSource } from '../../contracts/index.ts';
import { similarModels, resolveRoutes } from '../../providers/index.ts';
import { createAuxiliaryRoute } from '../auxiliary/auxiliary-route.ts';

export type TestAnswer = { text: string; usage: Usage; cost: Cost; facts?: ModelFacts; durationMs: number };

/** The setting that the user can change to fix a failed test call. */
export type FixableSetting = 'key' | 'model' | 'address';
export type TestFailure = { message: string; hint?: string; fixable: FixableSetting };

const SYSTEM = 'This is a test of the connection.';
const QUESTION = 'Answer with the single word: ready';
/** A local model may have to be loaded first. */
const TIMEOUT_MS = 120_000;

/** Makes the test call through a route, exactly as a chat would send it. */
export async function testCall(source: RouteSource, signal: AbortSignal): Promise<TestAnswer> {
  const question = { system: SYSTEM, messages: [{ role: 'user' as const, content: QUESTION }] };
  const asked = createAuxiliaryRoute(source, { clock: systemClock });
  const { answer, route, durationMs } = await asked.ask(question, { signal, timeoutMs: TIMEOUT_MS });
  return {
    text: answer.text.trim(),
    usage: answer.usage,
    cost: answer.cost ?? NO_COST,
    facts: route.facts,
    durationMs,
  };
}

/** Explains a failed test call to the user. Internal errors are rethrown. */
export async function explainFailure(thrown: unknown, settings: Settings): Promise<TestFailure> {
  if (!(thrown instanceof HermesError)) throw thrown;
  // The call was not made: the key is missing or malformed.
  if (!(thrown instanceof ModelError)) return { message: thrown.message, hint: thrown.hint, fixable: 'key' };
  const { kind, message } = thrown.failure;
  switch (kind) {
    case 'auth':
    case 'auth_permanent':
      return { message, hint: thrown.hint ?? 'The key or login was rejected. Enter another one.', fixable: 'key' };
    case 'billing':
      return { message, hint: thrown.hint ?? 'Check the balance of your account at the provider.', fixable: 'key' };
    case 'model_not_found':
      return { message, hint: (await suggestModels(settings)) ?? 'Choose another model.', fixable: 'model' };
    case 'connection':
    case 'timeout':
    case 'invalid_response':
      return { message, hint: thrown.hint ?? 'Check the network connection and the base URL.', fixable: 'address' };
    default:
      return { message, hint: thrown.hint, fixable: 'model' };
  }
}

async function suggestModels(settings: Settings): Promise<string | undefined> {
  const route = await resolveRoutes(settings)
    ?.routes[0]?.open()
    .catch(() => undefined);
  const listed = await route?.listModels?.();
  if (listed?.length === 0) return 'The endpoint lists no models: load or enable one there, then try again.';
  const near = similarModels(route?.model ?? '', listed ?? []);
  return near.length === 0 ? undefined : `Similar models: ${near.join(', ')}.`;
}
