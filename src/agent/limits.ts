import { type ExitReason, HermesError } from '../base/index.ts';
import type { SessionStore } from '../contracts/index.ts';
import type { SpendingLimits } from './agent-options.ts';
import { type Turn, TurnStopped } from './turn.ts';

const WARN_AT = 0.8;

/**
 * Returns the exit reason if the turn must end before another step; when several apply, the first in the order of the
 * exit reasons. Throws if the turn was aborted.
 */
export async function findExitReason(turn: Turn): Promise<ExitReason | undefined> {
  turn.signal.throwIfAborted();
  if (await limitReached(turn)) return 'limit_reached';
  if (turn.state.steps >= turn.options.maxIterations) return 'max_iterations';
  return turn.state.budgetLeft <= 0 ? 'budget_exhausted' : undefined;
}

/** Aborts the turn when `limits.turn_seconds` has passed. */
export function watchTurnTime(turn: Turn, controller: AbortController, done: AbortSignal): void {
  const seconds = turn.options.limits?.turnSeconds;
  if (seconds === undefined) return;
  const wait = (share: number) => turn.clock.sleep(seconds * share * 1000, done);
  wait(WARN_AT)
    .then(() => warn(turn, 'limits.turn_seconds', `${seconds} s`))
    .then(() => wait(1 - WARN_AT))
    .then(() => controller.abort(turnTimeExceeded(seconds)))
    .catch(() => undefined); // The turn ended first.
}

function turnTimeExceeded(seconds: number): TurnStopped {
  const key = 'limits.turn_seconds';
  return new TurnStopped('limit_reached', limitMessage(key, `${seconds} s`), limitHint(key));
}

async function limitReached(turn: Turn): Promise<boolean> {
  const { options, session, clock } = turn;
  const query = { store: options.store, limits: options.limits, sessionId: session.id, now: clock.now() };
  const figures = await spendingFigures(query);
  for (const { key, spent, limit, unit, hint = limitHint(key) } of figures) {
    if (limit === undefined) continue;
    if (spent >= limit) {
      turn.state.error = { message: limitMessage(key, `${limit} ${unit}`), hint };
      return true;
    }
    if (spent >= limit * WARN_AT) warn(turn, key, `${limit} ${unit}`);
  }
  return false;
}

function warn(turn: Turn, key: string, limit: string): void {
  if (turn.state.warnedLimits.has(key)) return;
  turn.state.warnedLimits.add(key);
  turn.emit({ type: 'warning', message: `80 % of the limit ${key} (${limit}) is used.` });
}

type SpendingQuery = {
  store: Pick<SessionStore, 'sessionSpending' | 'spendingSince'>;
  limits: SpendingLimits | undefined;
  /** Without a session id only the limit per day is checked. */
  sessionId: string | undefined;
  now: number;
};

type SpendingFigure = { key: string; spent: number; limit: number | undefined; unit: string; hint?: string };

/**
 * Queries the store only for limits that are set. The store also counts what other processes and auxiliary calls
 * spent.
 */
async function spendingFigures({ store, limits, sessionId, now }: SpendingQuery): Promise<SpendingFigure[]> {
  if (limits === undefined) return [];
  const { sessionUsd, sessionTokens, dayUsd, account } = limits;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const figures: SpendingFigure[] = [];
  if (sessionId !== undefined && (sessionUsd !== undefined || sessionTokens !== undefined)) {
    const { usd, tokens } = await store.sessionSpending(sessionId);
    figures.push({ key: 'limits.session_usd', spent: usd, limit: sessionUsd, unit: 'USD' });
    figures.push({ key: 'limits.session_tokens', spent: tokens, limit: sessionTokens, unit: 'tokens' });
  }
  if (dayUsd !== undefined) {
    const { usd } = await store.spendingSince(midnight);
    figures.push({ key: 'limits.day_usd', spent: usd, limit: dayUsd, unit: 'USD' });
  }
  if (account !== undefined) {
    const spent = await account.spentSince(midnight);
    figures.push({
      key: account.name,
      spent,
      limit: account.dayUsd,
      unit: 'USD',
      hint: 'It applies again from zero after midnight.',
    });
  }
  return figures;
}

/** Throws if a spending limit is reached. For model calls outside a turn. */
export async function assertWithinLimits(query: SpendingQuery): Promise<void> {
  const figures = await spendingFigures(query);
  const reached = figures.find(({ spent, limit }) => limit !== undefined && spent >= limit);
  if (reached === undefined) return;
  const { key, limit, unit, hint = limitHint(key) } = reached;
  throw new HermesError(limitMessage(key, `${limit} ${unit}`), { hint });
}

function limitMessage(key: string, limit: string): string {
  return `The limit ${key} of ${limit} is reached.`;
}

function limitHint(key: string): string {
  return `Raise ${key} in config.yaml.`;
}
