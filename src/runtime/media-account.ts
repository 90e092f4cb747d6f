import { assertWithinLimits } from '../agent/index.ts';
import { type Clock, type Cost, NO_COST, NO_USAGE, totalTokens } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { MediaAccount, PaidCall, SessionStore, Taken } from '../contracts/index.ts';
import { priceCall } from '../providers/index.ts';
import type { SpendingWatch } from './auxiliary/spending-watch.ts';

type AccountParts = {
  store: Pick<SessionStore, 'recordCall' | 'sessionSpending' | 'spendingSince'>;
  spending: Pick<SpendingWatch, 'tell'>;
  clock: Clock;
};

/** What services take counts where auxiliary calls count: for the turn, the session, the day and their limits. */
export function createMediaAccount(settings: Settings, { store, spending, clock }: AccountParts): MediaAccount {
  return {
    async begin(call) {
      const { sessionId, ...record } = call;
      await assertWithinLimits({ store, limits: settings.limits, sessionId, now: clock.now() });
      const startedAt = clock.now();
      return async (taken) => {
        const { usage = NO_USAGE } = taken;
        const cost = costOf(settings, call, taken);
        const when = { startedAt, durationMs: clock.now() - startedAt };
        // First, because the turn can tell of it even where it cannot be stored.
        spending.tell(call.taskId, { usage, cost });
        await store.recordCall(sessionId, { ...record, ...when, usage, cost, outcome: 'ok' });
      };
    },
  };
}

/** What the service says, or what its tokens cost; most are paid by the piece, and what a piece costs nobody here knows. */
function costOf(settings: Settings, call: PaidCall, { usd, usage }: Taken): Cost {
  if (usd !== undefined) return { usd, status: 'actual', source: 'provider' };
  if (usage === undefined || totalTokens(usage) === 0) return NO_COST;
  return priceCall(settings, call, usage) ?? NO_COST;
}
