import type { MessageQuery } from '../../contracts/index.ts';
import type { SqlValue } from '../database.ts';
import type { Connection } from './connection.ts';
import { COPIES } from './spelling.ts';
import type { Plan } from './search-plan.ts';
import { BEGINNING_COLUMNS, TEXT_COLUMNS, type TextRow, toTextRow } from './search-rows.ts';

export type Filter = Pick<MessageQuery, 'sources' | 'excludedSources' | 'sessions' | 'excludedSessions' | 'roles'>;

/** A range of ids, inclusive. */
export type IdRange = { first: number; last: number };

/** Finds candidates in a range of ids, newest first: their ids, or also their texts if these must be compared. */
export type CandidateSource = {
  exact: boolean;
  /** No index is used: every message is a candidate. */
  isFullScan: boolean;
  /** Whether the index has at least so many matches in these ranges, before filters. */
  hasAtLeast(count: number, ranges: readonly IdRange[]): boolean;
  ids(range: IdRange, limit: number): number[];
  texts(range: IdRange, limit: number): TextRow[];
};

const ALL_ROLES = ['user', 'assistant', 'tool'] as const;

// The join order is fixed, so that only matches are read, and only until there are enough.
const FILTERED = `CROSS JOIN sessions s ON s.id = m.session_id
WHERE m.role IN (SELECT value FROM json_each(?4)) AND (?5 IS NULL OR s.source IN (SELECT value FROM json_each(?5)))
AND (?6 IS NULL OR s.source NOT IN (SELECT value FROM json_each(?6)))
AND (?7 IS NULL OR s.id IN (SELECT value FROM json_each(?7)))
AND (?8 IS NULL OR s.id NOT IN (SELECT value FROM json_each(?8))) AND m.id NOT IN (${COPIES})`;
// The driver passes numbers as floating point, but FTS5 uses a range only if it is given as integers.
const matching = (table: string, columns: string) => `SELECT ${columns}
FROM ${table} CROSS JOIN messages m ON m.id = ${table}.rowid ${FILTERED}
AND ${table} MATCH ?9 AND ${table}.rowid BETWEEN CAST(?1 AS INTEGER) AND CAST(?2 AS INTEGER)
ORDER BY ${table}.rowid DESC LIMIT ?3`;
const any = (columns: string) =>
  `SELECT ${columns} FROM messages m ${FILTERED} AND m.id BETWEEN ?1 AND ?2 ORDER BY m.id DESC LIMIT ?3`;

const statements = (columns: string) => ({
  contents: matching('messages_fts', columns),
  terms: matching('message_terms', columns),
  everything: any(columns),
});
const IDS = statements('m.id');
const TEXTS = statements(TEXT_COLUMNS);

export function candidateSource(
  connection: Connection,
  filter: Filter,
  { index, plan }: { index: 'contents' | 'terms'; plan: Plan },
): CandidateSource | undefined {
  const { match, exact } = plan;
  if (match === 'nothing') return undefined;
  const filters = filterValues(filter);
  const kind = match === 'everything' ? 'everything' : index;
  const expression = match === 'everything' ? [] : [match.expression];
  const list = (sql: string, { first, last }: IdRange, limit: number) =>
    connection.lists(sql, first, last, limit, ...filters, ...expression);
  return {
    exact,
    isFullScan: match === 'everything',
    hasAtLeast(count, ranges) {
      if (match === 'everything') return true;
      return newestInRanges(connection, { index, expression: match.expression, ranges, limit: count }).length >= count;
    },
    ids: (range, limit) => list(IDS[kind], range, limit).map(([id]) => id as number),
    texts: (range, limit) => list(TEXTS[kind], range, limit).map(toTextRow),
  };
}

function filterValues(filter: Filter): SqlValue[] {
  const { sources, excludedSources, sessions, excludedSessions } = filter;
  const lists = [sources, excludedSources, sessions, excludedSessions].map(listOrNull);
  return [JSON.stringify(filter.roles ?? ALL_ROLES), ...lists];
}

function listOrNull(values: readonly string[] | undefined): SqlValue {
  return values === undefined ? null : JSON.stringify(values);
}

const newestOf = (table: string) => `SELECT rowid FROM ${table} WHERE ${table} MATCH ?1
AND rowid BETWEEN CAST(?2 AS INTEGER) AND CAST(?3 AS INTEGER) ORDER BY rowid DESC LIMIT ?4`;
const NEWEST = { contents: newestOf('messages_fts'), terms: newestOf('message_terms') };

/** The newest ids in a range that match an expression, before filters. This reads only the index, so it is fast. */
function newestMatches(
  connection: Connection,
  index: 'contents' | 'terms',
  expression: string,
  { first, last, limit }: IdRange & { limit: number },
): number[] {
  return connection.lists(NEWEST[index], expression, first, last, limit).map(([id]) => id as number);
}

/** The newest ids in several ranges, which are sorted newest first. */
export function newestInRanges(
  connection: Connection,
  wanted: { index: 'contents' | 'terms'; expression: string; ranges: readonly IdRange[]; limit: number },
): number[] {
  const { index, expression, ranges, limit } = wanted;
  const ids: number[] = [];
  for (const range of ranges) {
    if (ids.length >= limit) break;
    ids.push(...newestMatches(connection, index, expression, { ...range, limit: limit - ids.length }));
  }
  return ids;
}

const amongIds = (columns: string) =>
  `SELECT ${columns} FROM json_each(?1) chosen CROSS JOIN messages m ON m.id = chosen.value ${FILTERED}`;
const CHOSEN = { whole: amongIds(TEXT_COLUMNS), beginning: amongIds(BEGINNING_COLUMNS) };

/** Reads those of the messages that pass the filters. */
export function readFiltered(
  connection: Connection,
  filter: Filter,
  ids: readonly number[],
  extent: 'whole' | 'beginning',
): TextRow[] {
  return connection.lists(CHOSEN[extent], JSON.stringify(ids), null, null, ...filterValues(filter)).map(toTextRow);
}

const MAX_SESSIONS = 300;
const SOURCE_SESSIONS = `SELECT id FROM sessions WHERE source IN (SELECT value FROM json_each(?)) LIMIT ${MAX_SESSIONS + 1}`;
const SESSION_RANGES = `SELECT MIN(m.id) AS first, MAX(m.id) AS last
FROM json_each(?) chosen CROSS JOIN messages m ON m.session_id = chosen.value GROUP BY chosen.value ORDER BY last DESC`;

/**
 * The ranges of ids that can contain hits, newest first. If only a few sessions are requested, or the requested
 * sources have only a few, these are the ranges of those sessions; otherwise a common word would be followed through
 * all messages of the others.
 */
export function candidateRanges(connection: Connection, { sources, sessions }: Filter): IdRange[] {
  const newest = (connection.get('SELECT MAX(id) AS id FROM messages') as { id: number | null }).id ?? 0;
  const everywhere = [{ first: 1, last: newest }];
  const chosen = sessions ?? (sources && sessionsOf(connection, sources));
  if (chosen === undefined || chosen.length > MAX_SESSIONS) return everywhere;
  return mergeRanges(connection.all(SESSION_RANGES, JSON.stringify(chosen)) as IdRange[]);
}

function sessionsOf(connection: Connection, sources: readonly string[]): string[] {
  return (connection.all(SOURCE_SESSIONS, JSON.stringify(sources)) as { id: string }[]).map(({ id }) => id);
}

// The ranges of concurrent sessions overlap; no id may be processed twice.
function mergeRanges(newestFirst: readonly IdRange[]): IdRange[] {
  const merged: IdRange[] = [];
  for (const { first, last } of newestFirst) {
    const later = merged.at(-1);
    if (later !== undefined && last >= later.first) later.first = Math.min(later.first, first);
    else merged.push({ first, last });
  }
  return merged;
}

const FIRST_WINDOW = 4_096;
const SMALLEST_WINDOW = 256;
const SHORT_MS = 4;
/** The longest time to work without a pause. */
export const LONG_MS = 16;
const PAUSE_AFTER_MS = 8;

/**
 * Iterates over the ids from the newest, in windows that grow if they are fast and shrink if they are slow. A common
 * word is then found in the newest window and a rare one in a few steps, and nothing blocks the process for long.
 * `look` processes a window and returns whether there are enough results. Returns false if the deadline passed before
 * all windows were processed.
 */
export async function scanCandidates(
  ranges: readonly IdRange[],
  look: (window: IdRange) => Promise<boolean>,
  deadline: number,
  firstWindow = FIRST_WINDOW,
): Promise<boolean> {
  let [window, paused] = [firstWindow, performance.now()];
  for (const [index, range] of ranges.entries()) {
    let { last } = range;
    while (last >= range.first) {
      const started = performance.now();
      const first = Math.max(range.first, last - window + 1);
      if (await look({ first, last })) return true;
      const now = performance.now();
      if (now - started < SHORT_MS) window *= 4;
      else if (now - started > LONG_MS) window = Math.max(SMALLEST_WINDOW, Math.floor(window / 2));
      last = first - 1;
      if (now > deadline) return last < range.first && index === ranges.length - 1;
      if (now - paused < PAUSE_AFTER_MS) continue;
      await new Promise(setImmediate);
      paused = performance.now();
    }
  }
  return true;
}
