import type { SessionInsights, SessionStatistics, StatisticsOptions } from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';
import { toSeconds } from '../rows/values.ts';
import { isUnpriced } from './call-costs.ts';
import { isDelegated, isSubagents } from './session-row.ts';
import {
  type CountedMessages,
  LAST_MOMENT,
  QUARTER_SECONDS,
  type SpendingRow,
  toStatistics,
} from './statistics-figures.ts';

const IN_SOURCE = '({text ?2} IS NULL OR s.source = ?2)';
const countOf = (condition: string) => `COUNT(*) FILTER (WHERE ${condition})`;
const quarterOf = (time: string) => `{whole ${time} / ${QUARTER_SECONDS}} AS quarter`;

const COUNTS = `SELECT ${countOf(`NOT ${isSubagents('s')} OR {text ?2} IS NOT NULL`)} AS sessions,
${countOf(isDelegated('s'))} AS subagents, ${countOf("s.end_reason = 'compression'")} AS compressions
FROM sessions s WHERE s.started_at >= ?1 AND ${IN_SOURCE}`;
const EXIT_REASONS = `SELECT t.exit_reason AS reason, COUNT(*) AS turns FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE t.started_at >= ?1 AND ${IN_SOURCE} GROUP BY t.exit_reason ORDER BY 2 DESC, {text t.exit_reason}`;
const MESSAGES = `SELECT ${quarterOf('m.timestamp')}, m.role, COUNT(*) AS messages
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} AND m.role IN ('user', 'assistant', 'tool')
AND NOT (m.role = 'user' AND ${isSubagents('s')}) AND NOT {isCopy m} GROUP BY 1, 2`;
const TOOLS = `SELECT name, COUNT(*) AS calls, ${countOf("status <> 'ok'")} AS failures
FROM (SELECT COALESCE(NULLIF(m.tool_name, ''), 'unknown') AS name, m.tool_status AS status
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} AND m.role = 'tool' AND NOT {isCopy m}) used
GROUP BY name ORDER BY 2 DESC, {text name}`;
// Calls of deleted sessions are still counted where no source is given: the money is spent. Sessions of the original have
// no calls on record; their own figures count as one call at their start.
const SPENDING = `SELECT ${quarterOf('c.started_at')}, c.session_id AS session, c.model, c.provider, c.purpose, s.source,
COUNT(*) AS calls, SUM(c.input_tokens) AS input, SUM(c.output_tokens) AS output,
SUM(c.cache_read_tokens) AS "cacheRead", SUM(c.cache_write_tokens) AS "cacheWrite", SUM(c.reasoning_tokens) AS reasoning,
SUM(c.cost_usd) FILTER (WHERE c.cost_status <> 'unknown') AS usd, ${countOf(isUnpriced('c'))} AS unpriced
FROM model_calls c LEFT JOIN sessions s ON s.id = c.session_id
WHERE c.started_at BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} GROUP BY 1, 2, 3, 4, 5, 6
UNION ALL SELECT ${quarterOf('s.started_at')}, s.id, s.model, s.billing_provider, NULL, s.source, 0,
COALESCE(s.input_tokens, 0), COALESCE(s.output_tokens, 0), COALESCE(s.cache_read_tokens, 0),
COALESCE(s.cache_write_tokens, 0), COALESCE(s.reasoning_tokens, 0), COALESCE(s.actual_cost_usd, s.estimated_cost_usd),
CASE WHEN COALESCE(s.actual_cost_usd, s.estimated_cost_usd) IS NULL THEN 1 ELSE 0 END
FROM sessions s WHERE s.started_at BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE}
AND COALESCE(s.input_tokens, 0) + COALESCE(s.output_tokens, 0) + COALESCE(s.estimated_cost_usd, 0) > 0
AND NOT EXISTS (SELECT 1 FROM model_calls c WHERE c.session_id = s.id)`;

type Counts = Record<'sessions' | 'subagents' | 'compressions', number>;

export function createStatistics(database: Database): SessionInsights {
  return { statistics: (options) => database.read((db) => gather(db, options)) };
}

function* gather(db: Transaction, { since = 0, source }: StatisticsOptions = {}): Work<SessionStatistics> {
  const filter = [toSeconds(since), source ?? null] as const;
  const { sessions = 0, subagents = 0, compressions = 0 } = (yield* db.get<Counts>(COUNTS, ...filter)) ?? {};
  const exitReasons = yield* db.all<SessionStatistics['exitReasons'][number]>(EXIT_REASONS, ...filter);
  const tools = yield* db.all<SessionStatistics['tools'][number]>(TOOLS, ...filter);
  return toStatistics({
    sessions,
    subagents,
    compressions,
    messages: yield* db.all<CountedMessages>(MESSAGES, ...filter),
    spending: yield* db.all<SpendingRow>(SPENDING, ...filter),
    // The rows of a driver have no prototype.
    exitReasons: exitReasons.map(({ reason, turns }) => ({ reason, turns })),
    tools: tools.map(({ name, calls, failures }) => ({ name, calls, failures })),
  });
}
