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
import type { Connection } from './connection.ts';
import { COPIES } from './own-tables.ts';
import { isDelegated, isSubagents } from './subagents.ts';

const IN_SOURCE = '(?2 IS NULL OR s.source = ?2)';
const COUNTS = `SELECT COALESCE(SUM(NOT ${isSubagents('s')} OR ?2 IS NOT NULL), 0) AS sessions,
COALESCE(SUM(${isDelegated('s')}), 0) AS subagents, COALESCE(SUM(s.end_reason = 'compression'), 0) AS compressions
FROM sessions s WHERE s.started_at >= ?1 AND ${IN_SOURCE}`;
const EXIT_REASONS = `SELECT t.exit_reason AS reason, COUNT(*) AS turns FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE t.started_at >= ?1 AND ${IN_SOURCE} GROUP BY 1 ORDER BY 2 DESC, 1`;
const MESSAGES = `SELECT CAST(m.timestamp / ${QUARTER_SECONDS} AS INTEGER) AS quarter, m.role, COUNT(*) AS messages
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} AND m.role IN ('user', 'assistant', 'tool')
AND NOT (m.role = 'user' AND ${isSubagents('s')}) AND m.id NOT IN (${COPIES})
GROUP BY 1, 2`;
const TOOLS = `SELECT COALESCE(NULLIF(m.tool_name, ''), 'unknown') AS name, COUNT(*) AS calls,
SUM(m.tool_status IS NOT NULL AND m.tool_status <> 'ok') AS failures
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} AND m.role = 'tool' AND m.id NOT IN (${COPIES})
GROUP BY 1 ORDER BY 2 DESC, 1`;
// Calls of deleted sessions are still counted where no source is asked for: the money is spent. Sessions of the
// original have no calls on record; their own figures stand for one at their start.
const SPENDING = `SELECT CAST(c.started_at / ${QUARTER_SECONDS} AS INTEGER) AS quarter, c.session_id AS session, c.model,
c.provider, c.purpose, s.source, COUNT(*) AS calls, SUM(c.input_tokens) AS input, SUM(c.output_tokens) AS output,
SUM(c.cache_read_tokens) AS cacheRead, SUM(c.cache_write_tokens) AS cacheWrite, SUM(c.reasoning_tokens) AS reasoning,
SUM(CASE WHEN c.cost_status <> 'unknown' THEN c.cost_usd END) AS usd,
SUM(${isUnpriced('c')}) AS unpriced
FROM model_calls c LEFT JOIN sessions s ON s.id = c.session_id
WHERE c.started_at BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} GROUP BY 1, 2, 3, 4, 5
UNION ALL SELECT CAST(s.started_at / ${QUARTER_SECONDS} AS INTEGER), s.id, s.model, s.billing_provider, NULL, s.source, 0,
COALESCE(s.input_tokens, 0), COALESCE(s.output_tokens, 0), COALESCE(s.cache_read_tokens, 0),
COALESCE(s.cache_write_tokens, 0), COALESCE(s.reasoning_tokens, 0),
COALESCE(s.actual_cost_usd, s.estimated_cost_usd), COALESCE(s.actual_cost_usd, s.estimated_cost_usd) IS NULL
FROM sessions s WHERE s.started_at BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE}
AND COALESCE(s.input_tokens, 0) + COALESCE(s.output_tokens, 0) + COALESCE(s.estimated_cost_usd, 0) > 0
AND s.id NOT IN (SELECT session_id FROM model_calls)`;

export function createStatistics(connection: Connection): SessionInsights {
  return { statistics: (options) => connection.read(() => gather(connection, options)) };
}

function gather(connection: Connection, { since = 0, source }: StatisticsOptions = {}): SessionStatistics {
  const filter = [toSeconds(since), source ?? null] as const;
  const counts = connection.get(COUNTS, ...filter) as Record<'sessions' | 'subagents' | 'compressions', number>;
  return toStatistics({
    ...counts,
    messages: connection.all(MESSAGES, ...filter) as CountedMessages[],
    spending: connection.all(SPENDING, ...filter) as SpendingRow[],
    exitReasons: plain(connection.all(EXIT_REASONS, ...filter)) as SessionStatistics['exitReasons'],
    tools: plain(connection.all(TOOLS, ...filter)) as SessionStatistics['tools'],
  });
}

// The driver's rows have no prototype, which surprises whoever compares them.
function plain(rows: unknown[]): unknown[] {
  return rows.map((row) => ({ ...(row as object) }));
}
