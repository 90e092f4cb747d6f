import type { ContextMessage, MessageHit, MessageQuery } from '../../contracts/index.ts';
import type { Transaction, Work } from '../database.ts';
import { toMilliseconds } from '../rows/values.ts';
import type { SearchNode, SearchTerm } from '../search-query.ts';
import { requiredTerms } from '../search/index-terms.ts';
import { messageText, type SearchableRow } from '../search/message-text.ts';
import { toArrayText } from './text-codec.ts';

/** A message as the search reads it. */
export type TextRow = { id: number; role: string; timestamp: number; text: string };

type Role = MessageHit['role'];
type RawRow = SearchableRow & { id: number; role: Role; timestamp: number };
type HitRow = RawRow & { session_id: string; source: string; model: string | null; started_at: number };

const within = (column: string, value: number) => `($${value}::text[] IS NULL OR ${column} = ANY ($${value}::text[]))`;
const outside = (column: string, value: number) =>
  `($${value}::text[] IS NULL OR ${column} <> ALL ($${value}::text[]))`;

const TEXT = 'm.id, m.role, m.timestamp, m.content, m.tool_name, m.tool_calls';
// A message with too many terms for the index is always read.
const PORTION = `SELECT ${TEXT} FROM messages m JOIN sessions s ON s.id = m.session_id
WHERE (m.terms @@ $1::tsquery OR m.terms IS NULL) AND ($2::bigint IS NULL OR m.id < $2)
AND ${within('m.role', 4)} AND ${within('s.source', 5)} AND ${outside('s.source', 6)}
AND ${within('s.id', 7)} AND ${outside('s.id', 8)} AND NOT {isCopy m}
ORDER BY m.id DESC LIMIT $3`;

const FILTERS = `${within('m.role', 3)} AND ${within('s.source', 4)} AND ${outside('s.source', 5)}
AND ${within('s.id', 6)} AND ${outside('s.id', 7)} AND NOT {isCopy m}`;
const NEWEST = `SELECT m.id FROM messages m JOIN sessions s ON s.id = m.session_id
WHERE m.terms @@ $1::tsquery AND ${FILTERS} ORDER BY m.id DESC LIMIT $2`;
const CHOSEN = `SELECT ${TEXT} FROM unnest($1::bigint[]) chosen(id) JOIN messages m ON m.id = chosen.id`;
const RANGE = 'SELECT COALESCE(MIN(m.id), 0) AS first, COALESCE(MAX(m.id), 0) AS last FROM messages m';
const SESSIONS_RANGE = `${RANGE} WHERE m.session_id = ANY ($1::text[])`;

function listsOf({ roles, sources, excludedSources, sessions, excludedSessions }: MessageQuery): (string | null)[] {
  const filters = [roles, sources, excludedSources, sessions, excludedSessions];
  return filters.map((values) => (values === undefined ? null : toArrayText(values)));
}

/** The ids of the newest messages that the index has for all of the terms. */
export function* readNewest(
  db: Transaction,
  terms: readonly SearchTerm[],
  query: MessageQuery,
  limit: number,
): Work<number[]> {
  const expression = terms.map(termExpression).join(' & ');
  const rows = yield* db.all<{ id: number }>(NEWEST, expression, limit, ...listsOf(query));
  return rows.map(({ id }) => id);
}

/** The first and the last id of the searched sessions. */
export function* readRange(db: Transaction, { sessions }: MessageQuery): Work<{ first: number; last: number }> {
  const [sql, ...values] = sessions === undefined ? [RANGE] : [SESSIONS_RANGE, toArrayText(sessions)];
  const range = yield* db.get<{ first: number; last: number }>(sql, ...values);
  return range ?? { first: 0, last: 0 };
}

export function* readChosen(db: Transaction, ids: readonly number[]): Work<TextRow[]> {
  const rows = yield* db.all<RawRow>(CHOSEN, `{${ids.join(',')}}`);
  return rows.map(toTextRow);
}

/** Reads the newest matches of the index with an id below a given one. */
export function* readPortion(
  db: Transaction,
  node: SearchNode,
  query: MessageQuery,
  { before, limit }: { before: number | null; limit: number },
): Work<TextRow[]> {
  const rows = yield* db.all<RawRow>(PORTION, toExpression(node), before, limit, ...listsOf(query));
  return rows.map(toTextRow);
}

function toTextRow(row: RawRow): TextRow {
  return { id: row.id, role: row.role, timestamp: row.timestamp, text: textOf(row) };
}

function textOf(row: RawRow): string {
  return messageText({ ...row, content: row.content ?? '' });
}

const HITS = `SELECT ${TEXT}, m.session_id, s.source, s.model, s.started_at
FROM unnest($1::bigint[]) WITH ORDINALITY chosen(id, rank) JOIN messages m ON m.id = chosen.id
JOIN sessions s ON s.id = m.session_id ORDER BY chosen.rank`;
const NEIGHBOUR = `SELECT m.role, left(m.content, 1024) AS content, m.tool_name, m.tool_calls FROM messages m
WHERE m.session_id = $1`;
const BEFORE = `${NEIGHBOUR} AND m.id < $2 ORDER BY m.id DESC LIMIT 1`;
const AFTER = `${NEIGHBOUR} AND m.id > $2 ORDER BY m.id LIMIT 1`;

/** Hits in the given order, each with its full text; messages deleted in the meantime are skipped. */
export function* readHits(
  db: Transaction,
  ids: readonly number[],
): Work<{ text: string; hit: Omit<MessageHit, 'snippet' | 'partial'> }[]> {
  const rows = yield* db.all<HitRow>(HITS, `{${ids.join(',')}}`);
  const hits: { text: string; hit: Omit<MessageHit, 'snippet' | 'partial'> }[] = [];
  for (const row of rows) {
    hits.push({
      text: textOf(row),
      hit: {
        id: row.id,
        sessionId: row.session_id,
        role: row.role,
        timestamp: toMilliseconds(row.timestamp),
        context: yield* readContext(db, row),
        source: row.source,
        model: row.model ?? undefined,
        sessionStartedAt: toMilliseconds(row.started_at),
      },
    });
  }
  return hits;
}

function* readContext(db: Transaction, { session_id: sessionId, id }: HitRow): Work<MessageHit['context']> {
  const before = yield* db.get<RawRow>(BEFORE, sessionId, id);
  const after = yield* db.get<RawRow>(AFTER, sessionId, id);
  const context: MessageHit['context'] = {};
  if (before !== undefined) context.before = toContext(before);
  if (after !== undefined) context.after = toContext(after);
  return context;
}

const CONTEXT_CHARACTERS = 200;

// For a message without text, the tool calls are shown.
function toContext(row: RawRow): ContextMessage {
  const shown = row.content ? row.content : messageText({ ...row, content: '' });
  const characters = Array.from(shown.slice(0, CONTEXT_CHARACTERS * 2));
  return { role: row.role, content: characters.slice(0, CONTEXT_CHARACTERS).join('') };
}

const MAX_WORD_LENGTH = 64;
/** For a sentence of hundreds of characters, the first pairs are enough to find it. */
const MAX_REQUIRED = 64;

/**
 * The query as a tsquery. It matches more than the query, never less: the index stores no order, so a phrase is
 * searched as its parts, and excluded terms are ignored. The matches are compared with the query afterwards.
 */
export function toExpression(node: SearchNode): string {
  switch (node.kind) {
    case 'term':
      return termExpression(node.term);
    case 'not':
      return toExpression(node.node);
    default:
      return `(${node.nodes.map(toExpression).join(node.kind === 'and' ? ' & ' : ' | ')})`;
  }
}

function termExpression(term: SearchTerm): string {
  const required = [...new Set(requiredTerms(term))].slice(0, MAX_REQUIRED).map(quote);
  const last = term.prefix ? term.parts.at(-1) : undefined;
  const beginning = last === undefined ? [] : [`${quote(last.folded.slice(0, MAX_WORD_LENGTH))}:*`];
  return `(${[...required, ...beginning].join(' & ')})`;
}

function quote(term: string): string {
  return `'${term.replace(/['\\]/g, '$&$&')}'`;
}
