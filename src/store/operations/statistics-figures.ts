import { addUsage, NO_USAGE, type Usage } from '../../base/index.ts';
import type { SessionStatistics, Spending, SpendingGroup } from '../../contracts/index.ts';
import { localDay } from '../../util/index.ts';

/**
 * Times are grouped here in quarters of an hour, and put into days and hours of local time afterwards: every time zone
 * is a whole number of quarters away, and the database need not know which one it is.
 */
export const QUARTER_SECONDS = 900;

/** Beyond this there is no date (and no number of quarters that fits): a row with such a time, or text, counts for no day. */
export const LAST_MOMENT = 8.64e12;

type Bucket = { quarter: number };
export type SpendingRow = Bucket &
  Record<'calls' | 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning' | 'unpriced', number> &
  Record<'session' | 'model' | 'provider' | 'source' | 'purpose', string | null> & { usd: number | null };
export type CountedMessages = Bucket & { role: 'user' | 'assistant' | 'tool'; messages: number };

/** What a store found, before it is put together. */
export type Figures = Pick<SessionStatistics, 'sessions' | 'subagents' | 'compressions' | 'exitReasons' | 'tools'> & {
  messages: readonly CountedMessages[];
  spending: readonly SpendingRow[];
};

export function toStatistics({ messages, spending, ...counted }: Figures): SessionStatistics {
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
    activeHours: countHours(messages),
  };
}

const modelOf = (row: SpendingRow) => ({ model: row.model ?? 'unknown', provider: row.provider ?? 'unknown' });

function countRoles(rows: readonly CountedMessages[]): SessionStatistics['messages'] {
  const counts = { user: 0, assistant: 0, tool: 0 };
  for (const row of rows) counts[row.role] += row.messages;
  return counts;
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
