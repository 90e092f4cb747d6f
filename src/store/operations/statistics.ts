import { addUsage, NO_USAGE, type Usage } from '../../base/index.ts';
import type {
  SessionInsights,
  SessionStatistics,
  Spending,
  SpendingGroup,
  StatisticsOptions,
} from '../../contracts/index.ts';
import { localDay } from '../../util/index.ts';
import type { Database, Transaction, Work } from '../database.ts';
import { toSeconds } from '../rows/values.ts';
import { isUnpriced, missFromJson } from '../rows/call-row.ts';
import { isDelegated, isSubagentSession } from './session-row.ts';

/**
 * Timestamps are grouped by quarter hours in SQL and by local days and hours afterwards: every time zone offset is a
 * whole number of quarter hours, so the database need not know the time zone.
 */
const QUARTER_SECONDS = 900;

/** The highest valid date. Rows with a later time, or with text instead of a time, are not counted. */
const LAST_MOMENT = 8.64e12;

const IN_SOURCE = '({text ?2} IS NULL OR s.source = ?2)';
const countOf = (condition: string) => `COUNT(*) FILTER (WHERE ${condition})`;
const quarterOf = (time: string) => `{whole ${time} / ${QUARTER_SECONDS}} AS quarter`;

const COUNTS = `SELECT ${countOf(`NOT ${isSubagentSession('s')} OR {text ?2} IS NOT NULL`)} AS sessions,
${countOf(isDelegated('s'))} AS subagents, ${countOf("s.end_reason = 'compression'")} AS compressions
FROM sessions s WHERE s.started_at >= ?1 AND ${IN_SOURCE}`;
const EXIT_REASONS = `SELECT t.exit_reason AS reason, COUNT(*) AS turns FROM turns t JOIN sessions s ON s.id = t.session_id
WHERE t.started_at >= ?1 AND ${IN_SOURCE} GROUP BY t.exit_reason ORDER BY 2 DESC, {text t.exit_reason}`;
const MESSAGES = `SELECT ${quarterOf('m.timestamp')}, m.role, COUNT(*) AS messages
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} AND m.role IN ('user', 'assistant', 'tool')
AND NOT (m.role = 'user' AND ${isSubagentSession('s')}) AND NOT {isCopy m} GROUP BY 1, 2`;
const TOOLS = `SELECT name, COUNT(*) AS calls, ${countOf("status <> 'ok'")} AS failures
FROM (SELECT COALESCE(NULLIF(m.tool_name, ''), 'unknown') AS name, m.tool_status AS status
FROM sessions s JOIN messages m ON m.session_id = s.id
WHERE m.timestamp BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE} AND m.role = 'tool' AND NOT {isCopy m}) used
GROUP BY name ORDER BY 2 DESC, {text name}`;
// Without a source filter, calls of deleted sessions are still counted: the money is spent. Sessions of the original
// have no recorded calls; their totals count as one call at their start.
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

const MISSES = `SELECT c.cache_miss AS miss FROM model_calls c LEFT JOIN sessions s ON s.id = c.session_id
WHERE c.cache_miss IS NOT NULL AND c.started_at BETWEEN ?1 AND ${LAST_MOMENT} AND ${IN_SOURCE}`;

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
    misses: yield* db.all<{ miss: string }>(MISSES, ...filter),
    // Rows returned by the driver have no prototype.
    exitReasons: exitReasons.map(({ reason, turns }) => ({ reason, turns })),
    tools: tools.map(({ name, calls, failures }) => ({ name, calls, failures })),
  });
}

type Bucket = { quarter: number };
type SpendingRow = Bucket &
  Record<'calls' | 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning' | 'unpriced', number> &
  Record<'session' | 'model' | 'provider' | 'source' | 'purpose', string | null> & { usd: number | null };
type CountedMessages = Bucket & { role: 'user' | 'assistant' | 'tool'; messages: number };

/** The query results from which the statistics are computed. */
type Figures = Pick<SessionStatistics, 'sessions' | 'subagents' | 'compressions' | 'exitReasons' | 'tools'> & {
  messages: readonly CountedMessages[];
  spending: readonly SpendingRow[];
  misses: readonly { miss: string }[];
};

function toStatistics({ messages, spending, misses, ...counted }: Figures): SessionStatistics {
  const { calls, usage, usd, unpriced } = addUp(spending);
  return {
    ...counted,
    messages: countRoles(messages),
    calls,
    usage,
    usd,
    unpriced,
    byModel: group(spending, modelOf).sort(byCost),
    bySource: group(spending, (row) => ({ source: row.source ?? (row.session === '' ? 'none' : 'deleted') })).sort(
      byCost,
    ),
    byPurpose: group(spending, (row) => ({ purpose: row.purpose ?? 'chat' })).sort(byCost),
    byDay: groupByDay(spending, messages),
    cacheMisses: countMisses(misses),
    activeHours: countHours(messages),
  };
}

const modelOf = (row: SpendingRow) => ({ model: row.model ?? 'unknown', provider: row.provider ?? 'unknown' });

function countRoles(rows: readonly CountedMessages[]): SessionStatistics['messages'] {
  const counts = { user: 0, assistant: 0, tool: 0 };
  for (const row of rows) counts[row.role] += row.messages;
  return counts;
}

function countMisses(rows: readonly { miss: string }[]): SessionStatistics['cacheMisses'] {
  const misses = rows.flatMap(({ miss }) => missFromJson(miss) ?? []);
  return [...Map.groupBy(misses, ({ reason }) => reason)]
    .map(([reason, own]) => ({ reason, calls: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) }))
    .sort((a, b) => b.tokens - a.tokens || (a.reason < b.reason ? -1 : 1));
}

function countHours(rows: readonly CountedMessages[]): number[] {
  const hours = Array.from({ length: 24 }, () => 0);
  for (const row of rows) {
    const hour = dateOf(row).getHours();
    hours[hour] = (hours[hour] ?? 0) + row.messages;
  }
  return hours;
}

function groupByDay(
  spending: readonly SpendingRow[],
  messages: readonly CountedMessages[],
): SessionStatistics['byDay'] {
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

/** The cost is 0 if nothing was spent, and null if no call has a known price. */
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
    // Calls without a session have an empty id.
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
