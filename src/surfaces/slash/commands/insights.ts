import { systemClock } from '../../../base/index.ts';
import { formatInsights } from '../../text/format-insights.ts';
import type { SlashContext } from '../slash-context.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;

/** `/insights` and `/insights DAYS`: what was done and spent, in all sessions. */
export async function insightsCommand({ runtime, style, print }: SlashContext, argument: string): Promise<void> {
  const days = argument === '' ? USUAL_DAYS : Number(argument);
  if (!Number.isSafeInteger(days) || days < 1) return print('/insights takes a number of days, such as /insights 7.\n');
  const statistics = await runtime.store.statistics({ since: systemClock.now() - days * DAY_MS });
  print(formatInsights(statistics, { days }, style));
}
