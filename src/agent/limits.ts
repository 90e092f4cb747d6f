import type { ExitReason } from '../base/index.ts';
import { limitMessage, spendingFigures, wayOut } from './spending.ts';
import { type Turn, TurnStopped } from './turn.ts';

const WARN_AT = 0.8;

/** The reason to end the turn before another step, if there is one; in the order of the exit reasons. Throws on a stop. */
export async function exitDue(turn: Turn): Promise<ExitReason | undefined> {
  turn.signal.throwIfAborted();
  if (await limitReached(turn)) return 'limit_reached';
  if (turn.state.steps >= turn.options.maxIterations) return 'max_iterations';
  return turn.state.budgetLeft <= 0 ? 'budget_exhausted' : undefined;
}

/** Ends the turn when its time is up, whatever it is doing. */
export function watchTurnTime(turn: Turn, controller: AbortController, done: AbortSignal): void {
  const seconds = turn.options.limits?.turnSeconds;
  if (seconds === undefined) return;
  const wait = (share: number) => turn.clock.sleep(seconds * share * 1000, done);
  wait(WARN_AT)
    .then(() => warn(turn, 'limits.turn_seconds', `${seconds} s`))
    .then(() => wait(1 - WARN_AT))
    .then(() => controller.abort(timeIsUp(seconds)))
    .catch(() => undefined); // The turn ended first.
}

function timeIsUp(seconds: number): TurnStopped {
  const key = 'limits.turn_seconds';
  return new TurnStopped('limit_reached', limitMessage(key, `${seconds} s`), wayOut(key));
}

async function limitReached(turn: Turn): Promise<boolean> {
  const { options, session, clock } = turn;
  const query = { store: options.store, limits: options.limits, sessionId: session.id, now: clock.now() };
  const figures = await spendingFigures(query);
  for (const { key, spent, limit, unit } of figures) {
    if (limit === undefined) continue;
    if (spent >= limit) {
      turn.state.error = { message: limitMessage(key, `${limit} ${unit}`), hint: wayOut(key) };
      return true;
    }
    if (spent >= limit * WARN_AT) warn(turn, key, `${limit} ${unit}`);
  }
  return false;
}

function warn(turn: Turn, key: string, limit: string): void {
  if (turn.state.warnedLimits.has(key)) return;
  turn.state.warnedLimits.add(key);
  turn.emit({ type: 'warning', message: `80 % of ${key} (${limit}) is used.` });
}
