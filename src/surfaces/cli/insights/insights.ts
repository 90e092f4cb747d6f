import { systemClock } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';
import { withStore } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle } from '../style.ts';
import { formatInsights } from '../../text/format-insights.ts';

export type InsightsOptions = { days: number; source?: string; json?: boolean };

const DAY_MS = 86_400_000;

/** Shows the usage statistics of the last days. */
export async function showInsights({ days, source, json }: InsightsOptions, io: CliIo): Promise<number> {
  const since = systemClock.now() - days * DAY_MS;
  const statistics = await withStore(io, (store) => store.statistics({ since, source }));
  if (json) writeJson(io.stdout, { days, source, since, ...statistics });
  else io.stdout.write(formatInsights(statistics, { days, source }, createStyle(io.stdout, io.env)));
  return 0;
}
