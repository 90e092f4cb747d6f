import { addUsage, NO_USAGE, type Usage } from '../../base/index.ts';
import type {
  SessionInsights,
  SessionStatistics,
  Spending,
  SpendingGroup,
  StatisticsOptions,
} from '../../contracts/index.ts';
import { localDay } from '../../util/index.ts';
import type { Connection } from './connection.ts';
import { COPIES } from './own-tables.ts';
import { isDelegated, isSubagents } from './subagents.ts';
import { toSeconds } from './time.ts';

/**
 * Times are grouped here in quarters of an hour, and put into days and hours of local time afterwards: every time zone
 * is a whole number of quarters away, and the database need not know which one it is.
 */
const QUARTER_SECONDS = 900;

/** Beyond this there is no date (and no number of quarters that fits): a row with such a time, or text, counts for no day. */
const LAST_MOMENT = 8.64e12;

type Bucket = { quarter: number };
type SpendingRow = Bucket &
  Record<'calls' | 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning' | 'unpriced', number> &
  Record<'session' | 'model' | 'provider' | 'source' | 'purpose', string | null> & { usd: number | null };
type MessageRow = Bucket & { role: 'user' | 'assistant' | 'tool'; messages: number };

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
const CALL_TOKENS = 'c.input_tokens + c.output_tokens + c.cache_read_tokens + c.cache_write_tokens';
// Calls of deleted sessions are still counted where no source is asked for: the money is spent. Sessions of the
// original have no calls on record; their own figures stand for one at their start.
const SPENDING = `SELECT CAST(c.started_at / ${QUARTER_SECONDS} AS INTEGER) AS quarter, c.session_id AS session, c.model,
c.provider, c.purpose, s.source, COUNT(*) AS calls, SUM(c.input_tokens) AS input, SUM(c.output_tokens) AS output,
SUM(c.cache_read_tokens) AS cacheRead, SUM(c.cache_write_tokens) AS cacheWrite, SUM(c.reasoning_tokens) AS reasoning,
SUM(CASE WHEN c.cost_status <> 'unknown' THEN c.cost_usd END) AS usd,
SUM(c.cost_status = 'unknown' AND ${CALL_TOKENS} > 0) AS unpriced
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
  const messages = connection.all(MESSAGES, ...filter) as MessageRow[];
  const spending = connection.all(SPENDING, ...filter) as SpendingRow[];
  const total = addUp(spending);
  return {
    sessions: counts.sessions,
    subagents: counts.subagents,
    compressions: counts.compressions,
    messages: countRoles(messages),
    exitReasons: plain(connection.all(EXIT_REASONS, ...filter)) as SessionStatistics['exitReasons'],
    calls: total.calls,
    usage: total.usage,
    usd: total.usd,
    unpriced: total.unpriced,
    byModel: group(spending, modelOf).sort(byCost),
    bySource: group(spending, (row) => ({ source: row.source ?? (row.session === '' ? 'none' : 'deleted') })).sort(
      byCost,
    ),
    byPurpose: group(spending, (row) => ({ purpose: row.purpose ?? 'chat' })).sort(byCost),
    byDay: groupByDay(spending, messages),
    tools: plain(connection.all(TOOLS, ...filter)) as SessionStatistics['tools'],
    activeHours: countHours(messages),
  };
}

const modelOf = (row: SpendingRow) => ({ model: row.model ?? 'unknown', provider: row.provider ?? 'unknown' });

function countRoles(rows: readonly MessageRow[]): SessionStatistics['messages'] {
  const counts = { user: 0, assistant: 0, tool: 0 };
  for (const row of rows) counts[row.role] += row.messages;
  return counts;
}

function countHours(rows: readonly MessageRow[]): number[] {
  const hours = Array.from({ length: 24 }, () => 0);
  for (const row of rows) {
    const hour = dateOf(row).getHours();
    hours[hour] = (hours[hour] ?? 0) + row.messages;
  }
  return hours;
}

function groupByDay(spending: readonly SpendingRow[], messages: readonly MessageRow[]): SessionStatistics['byDay'] {
  const counted = new Map<string, number>();
  for (const row of messages) counted.set(dayOf(row), (counted.get(dayOf(row)) ?? 0) + row.messages);
  const days = group(spending, (row) => ({ day: dayOf(row) }));
  for (const day of counted.keys()) {
    if (!days.some((entry) => entry.day === day)) days.push({ day, ...addUp([]) });
  }
  return days
    .map((entry) => ({ ...entry, messages: counted.get(entry.day) ?? 0 }))
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}

function group<Key extends object>(
  rows: readonly SpendingRow[],
  keyOf: (row: SpendingRow) => Key,
): SpendingGroup<Key>[] {
  const groups = new Map<string, { key: Key; rows: SpendingRow[] }>();
  for (const row of rows) {
    const key = keyOf(row);
    const name = JSON.stringify(key);
    const found = groups.get(name) ?? { key, rows: [] };
    found.rows.push(row);
    groups.set(name, found);
  }
  return [...groups.values()].map((found) => ({ ...found.key, ...addUp(found.rows) }));
}

/** Nothing spent is nothing; what was spent without a word about its price is not known. */
function addUp(rows: readonly SpendingRow[]): Spending & { sessions: number } {
  let usage = NO_USAGE;
  let [calls, unpriced] = [0, 0];
  let usd: number | null = null;
  const sessions = new Set<string | null>();
  for (const row of rows) {
    const { input, output, cacheRead, cacheWrite, reasoning } = row;
    usage = addUsage(usage, { input, output, cacheRead, cacheWrite, reasoning });
    calls += row.calls;
    unpriced += row.unpriced;
    if (row.usd !== null) usd = (usd ?? 0) + row.usd;
    // What was done for no session has none.
    if (row.session !== '') sessions.add(row.session);
  }
  if (unpriced === 0) usd ??= 0;
  return { sessions: sessions.size, calls, usage, usd, unpriced };
}

function dateOf({ quarter }: Bucket): Date {
  return new Date(quarter * QUARTER_SECONDS * 1000);
}

function dayOf(bucket: Bucket): string {
  return localDay(dateOf(bucket).getTime());
}

function byCost(a: { usd: number | null; usage: Usage }, b: { usd: number | null; usage: Usage }): number {
  return (b.usd ?? 0) - (a.usd ?? 0) || b.usage.input + b.usage.output - (a.usage.input + a.usage.output);
}

// The driver's rows have no prototype, which surprises whoever compares them.
function plain(rows: unknown[]): unknown[] {
  return rows.map((row) => ({ ...(row as object) }));
}
