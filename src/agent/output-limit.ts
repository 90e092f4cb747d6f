import { DEFAULT_OUTPUT_LIMIT, type ModelRoute } from '../contracts/index.ts';
import { routeName, tokenFigure } from './token-figure.ts';
import type { Turn } from './turn.ts';
import { windowOf } from './window.ts';

/**
 * The lowest output limit that is ever sent, because a shorter answer is useless. If the window leaves less room, the
 * provider rejects the request and the session is compressed.
 */
export const MIN_OUTPUT_LIMIT = 1_024;

/** Share of the window that is left free (at least `MIN_FREE_TOKENS`), because the prompt size is partly estimated. */
const FREE_SHARE = 0.02;
const MIN_FREE_TOKENS = 1_024;

/**
 * The room in the window is rounded down to a multiple of this, so that the output limit does not change with every
 * message.
 */
const ROOM_UNIT = 1_024;

/**
 * The output limit of the next request: the limit of the model, lowered to what its provider accepted before, what the
 * account can pay for, and what the window leaves after the prompt. Undefined leaves the limit to the provider.
 */
export function outputLimitOf(turn: Turn): number | undefined {
  const { amount, credits } = learnedLimits(turn);
  // Without an output limit in the request, the provider reserves the price of its own default, which the account may
  // not be able to pay. So the affordable limit is sent.
  const wanted = turn.state.step.maxOutputTokens ?? usualOutputLimit(turn.routes.current()) ?? credits;
  if (wanted === undefined) return undefined;
  return Math.min(wanted, amount ?? Infinity, credits ?? Infinity, roomInWindow(turn));
}

/** Lowered output limits of the current route, by the reason why its provider rejected higher ones. */
type LoweredLimits = { amount: number | undefined; credits: number | undefined };

export function learnedLimits({ routes, options }: Turn): LoweredLimits {
  const route = routes.current();
  const { outputLimit, affordableOutput } = routes.learned();
  return {
    amount: outputLimit ?? options.outputLimits?.find(route),
    credits: affordableOutput ?? options.affordableOutput?.find(route),
  };
}

export function learnLimit({ routes, options }: Turn, reason: keyof LoweredLimits, tokens: number): void {
  const [field, saved] =
    reason === 'amount'
      ? (['outputLimit', options.outputLimits] as const)
      : (['affordableOutput', options.affordableOutput] as const);
  routes.learned()[field] = tokens;
  saved?.learn(routes.current(), tokens);
}

/**
 * The output limit of a route before the window and the account balance lower it. `learned` is what the provider
 * accepted before.
 */
export function usualOutputLimit({ client, facts }: ModelRoute, learned = Infinity): number | undefined {
  return client.outputLimit === 'required' ? Math.min(facts?.outputLimit ?? DEFAULT_OUTPUT_LIMIT, learned) : undefined;
}

/** Tokens that the window leaves after the prompt. */
function roomInWindow(turn: Turn): number {
  const window = windowOf(turn);
  if (window === undefined) return Infinity;
  const tail = turn.options.meter.ofMessages(routeName(turn), turn.state.step.requestTail);
  const room = window - tokenFigure(turn) - tail - Math.max(MIN_FREE_TOKENS, window * FREE_SHARE);
  return Math.max(MIN_OUTPUT_LIMIT, Math.floor(room / ROOM_UNIT) * ROOM_UNIT);
}

/**
 * Raises the output limit of this step to the limit of the model. Returns false if it cannot be raised. `written` is
 * the number of tokens after which the answer was truncated.
 */
export function raiseLimit(turn: Turn, written: number): boolean {
  const { routes, state } = turn;
  if (!acceptsLimit(turn)) return false;
  const inForce = outputLimitOf(turn) ?? written;
  const { client, facts } = routes.current();
  // If the limit of the model is unknown, try a higher one: the provider's own default may be above ours.
  const unknown = Math.max(DEFAULT_OUTPUT_LIMIT, client.outputLimit === 'required' ? 0 : written * 2);
  const before = state.step.maxOutputTokens;
  state.step.maxOutputTokens = facts?.outputLimit ?? unknown;
  if ((outputLimitOf(turn) ?? 0) > inForce) return true;
  state.step.maxOutputTokens = before;
  return false;
}

/** Whether requests can contain an output limit: some endpoints have no such parameter, and others reject it. */
export function acceptsLimit({ routes }: Turn): boolean {
  const { outputLimit } = routes.current().client;
  if (outputLimit !== undefined) return outputLimit === 'required';
  const { parameterChanges } = routes.learned();
  return !parameterChanges.some(({ name, replacement }) => /^max_\w*tokens$/.test(name) && replacement === undefined);
}
