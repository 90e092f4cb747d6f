import type { SessionInsights, SessionStatistics, StatisticsOptions } from '../../contracts/index.ts';
import { toSeconds } from '../rows/time.ts';
import {
  type CountedMessages,
  LAST_MOMENT,
  QUARTER_SECONDS,
  type SpendingRow,
  toStatistics,
} from '../statistics-figures.ts';
import { isUnpriced } from '../unpriced-calls.ts';
import type { Connection, Queries } from './connection.ts';
import { isCopy } from './session-columns.ts';
import { isDelegated, isSubagents } from './subagents.ts';

const IN_SOURCE = '($2::text IS NULL OR s.source = $2)';
const countOf = (condition: string) => `COUNT(*) FILTER (WHERE ${condition})`;
const quarterOf = (time: string) => `FLOOR(${time} / ${QUARTER_SECONDS})::bigint AS quarter`;

const COUNTS = `SELECT ${countOf(`NOT ${isSubagents('s')} OR $2::text IS NOT NULL`)} AS sessions,
${countOf(isDelegated('s'))} AS subagents, ${countOf("s.end_reason = 'compression'")} AS compressions
FROM sessions s WHERE s.started_at >= $1 AND ${IN_SOURCE}`;
const EXIT_REASONS = `SELECT t.exit_reason AS reason, COUNT(*) AS turns FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE t.started_at >= $1 AND ${IN_SOURCE} GROUP BY 1 ORDER BY 2 DESC, t.exit_reason COLLATE "C"`;
const MESSAGES = `SELECT ${quarterOf('m.timestamp')}, m.role, COUNT(*) AS messages
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN $1 AND ${LAST_MOMENT} AND ${IN_SOURCE}
AND NOT (m.role = 'user' AND ${isSubagents('s')}) AND NOT ${isCopy('m')} GROUP BY 1, 2`;
const TOOLS = `SELECT name, COUNT(*) AS calls, ${countOf("status <> 'ok'")} AS failures
FROM (SELECT COALESCE(NULLIF(m.tool_name, ''), 'unknown') AS name, m.tool_status AS status
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN $1 AND ${LAST_MOMENT} AND ${IN_SOURCE} AND m.role = 'tool' AND NOT ${isCopy('m')}) used
GROUP BY name ORDER BY 2 DESC, name COLLATE "C"`;
// Calls of deleted sessions are still counted where no source is asked for: the money is spent. Sessions that were taken
// in without their calls stand for one at their start.
const SPENDING = `SELECT ${quarterOf('c.started_at')}, c.session_id AS session, c.model, c.provider, c.purpose, s.source,
COUNT(*) AS calls, SUM(c.input_tokens) AS input, SUM(c.output_tokens) AS output,
SUM(c.cache_read_tokens) AS "cacheRead", SUM(c.cache_write_tokens) AS "cacheWrite", SUM(c.reasoning_tokens) AS reasoning,
SUM(c.cost_usd) FILTER (WHERE c.cost_status <> 'unknown') AS usd,
${countOf(isUnpriced('c'))} AS unpriced
FROM model_calls c LEFT JOIN sessions s ON s.id = c.session_id
WHERE c.started_at BETWEEN $1 AND ${LAST_MOMENT} AND ${IN_SOURCE} GROUP BY 1, 2, 3, 4, 5, 6
UNION ALL SELECT ${quarterOf('s.started_at')}, s.id, s.model, s.billing_provider, NULL, s.source, 0, s.input_tokens,
s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, s.reasoning_tokens,
COALESCE(s.actual_cost_usd, s.estimated_cost_usd), (COALESCE(s.actual_cost_usd, s.estimated_cost_usd) IS NULL)::int
FROM sessions s WHERE s.started_at BETWEEN $1 AND ${LAST_MOMENT} AND ${IN_SOURCE}
AND s.input_tokens + s.output_tokens + COALESCE(s.estimated_cost_usd, 0) > 0
AND NOT EXISTS (SELECT 1 FROM model_calls c WHERE c.session_id = s.id)`;

export function createStatistics(connection: Connection): SessionInsights {
  return { statistics: (options) => connection.read((db) => gather(db, options)) };
}

async function gather(db: Queries, { since = 0, source }: StatisticsOptions = {}): Promise<SessionStatistics> {
  const filter = [toSeconds(since), source ?? null] as const;
  const [counts, messages, spending, exitReasons, tools] = await Promise.all([
    db.get<Record<'sessions' | 'subagents' | 'compressions', number>>(COUNTS, ...filter),
    db.all<CountedMessages>(MESSAGES, ...filter),
    db.all<SpendingRow>(SPENDING, ...filter),
    db.all<SessionStatistics['exitReasons'][number]>(EXIT_REASONS, ...filter),
    db.all<SessionStatistics['tools'][number]>(TOOLS, ...filter),
  ]);
  const none = { sessions: 0, subagents: 0, compressions: 0 };
  return toStatistics({ ...(counts ?? none), messages, spending, exitReasons, tools });
}
