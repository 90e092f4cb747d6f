import { systemClock } from '../../../base/index.ts';
import type { SessionStore } from '../../../contracts/index.ts';
import { formatInsights } from '../insights/format-insights.ts';
import type { Style } from '../style.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;

/** `/insights` and `/insights DAYS`: what was done and spent, in all sessions. */
export async function insightsOf(
  argument: string,
  store: Pick<SessionStore, 'statistics'>,
  style: Style,
): Promise<string> {
  const days = argument === '' ? USUAL_DAYS : Number(argument);
  if (!Number.isSafeInteger(days) || days < 1) return '/insights takes a number of days, such as /insights 7.\n';
  const statistics = await store.statistics({ since: systemClock.now() - days * DAY_MS });
  return formatInsights(statistics, { days }, style);
}
