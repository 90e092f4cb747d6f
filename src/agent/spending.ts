import { HermesError } from '../base/index.ts';
import type { SessionStore } from '../contracts/index.ts';
import type { SpendingLimits } from './agent-options.ts';

export type SpendingQuery = {
  store: Pick<SessionStore, 'sessionSpending' | 'spendingSince'>;
  limits: SpendingLimits | undefined;
  /** Without one only the day is looked at. */
  sessionId: string | undefined;
  now: number;
};

export type SpendingFigure = { key: string; spent: number; limit: number | undefined; unit: string };

/** Asks the store only for what is limited: it also knows what other processes and auxiliary calls spent. */
export async function spendingFigures({ store, limits, sessionId, now }: SpendingQuery): Promise<SpendingFigure[]> {
  const { sessionUsd, sessionTokens, dayUsd } = limits ?? {};
  const figures: SpendingFigure[] = [];
  if (sessionId !== undefined && (sessionUsd !== undefined || sessionTokens !== undefined)) {
    const { usd, tokens } = await store.sessionSpending(sessionId);
    figures.push({ key: 'limits.session_usd', spent: usd, limit: sessionUsd, unit: 'USD' });
    figures.push({ key: 'limits.session_tokens', spent: tokens, limit: sessionTokens, unit: 'tokens' });
  }
  if (dayUsd !== undefined) {
    const midnight = new Date(now).setHours(0, 0, 0, 0);
    const { usd } = await store.spendingSince(midnight);
    figures.push({ key: 'limits.day_usd', spent: usd, limit: dayUsd, unit: 'USD' });
  }
  return figures;
}

/** Throws where a limit is used up, for whoever spends outside of a turn. */
export async function assertWithinLimits(query: SpendingQuery): Promise<void> {
  const figures = await spendingFigures(query);
  const reached = figures.find(({ spent, limit }) => limit !== undefined && spent >= limit);
  if (reached === undefined) return;
  const { key, limit, unit } = reached;
  throw new HermesError(limitMessage(key, `${limit} ${unit}`), { hint: wayOut(key) });
}

export function limitMessage(key: string, limit: string): string {
  return `The limit ${key} of ${limit} is reached.`;
}

export function wayOut(key: string): string {
  return `Raise ${key} in config.yaml.`;
}
