import type { SessionRecord } from '../../contracts/index.ts';
import type { Transaction, Work } from '../database.ts';
import { baseOfTitle, isNumbered, nextNumber, splitTitle, titleWithNumber } from '../title.ts';
import { isBranch, rowToSession, SESSION_COLUMNS, type SessionRow } from './session-row.ts';

/** The highest character, as the end of a text range, so that the query can use the index. */
export const LAST_CHARACTER = '\u{10ffff}';

const IN_LINEAGE = '(s.title = ?1 OR (s.title >= ?2 AND s.title < ?3))';
const OF_LINEAGE = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE ${IN_LINEAGE}
ORDER BY s.started_at DESC, {order s} DESC`;
const TITLES = `SELECT s.title FROM sessions s WHERE ${IN_LINEAGE}`;
const PARENT = `SELECT s.parent_session_id AS parent, ${isBranch('s')} AS "isBranch" FROM sessions s WHERE s.id = ?1`;
const BY_TITLE = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.title = ?1`;

const rangeOf = (title: string) => [title, `${title} #`, `${title} #${LAST_CHARACTER}`] as const;

/**
 * The newest session of a title's lineage; a title with a number means exactly that session. A branch has a number
 * too but is a separate conversation, so it is returned only if there is nothing else.
 */
export function* findByTitle(db: Transaction, title: string): Work<SessionRecord | undefined> {
  const rows =
    splitTitle(title).number === undefined
      ? yield* db.all<SessionRow>(OF_LINEAGE, ...rangeOf(title))
      : yield* db.all<SessionRow>(BY_TITLE, title);
  const named = rows.filter((row) => row.title === title || isNumbered(row.title, title));
  for (const row of named) if (!(yield* isBranchedOff(db, row.id, title))) return rowToSession(row);
  return named[0] && rowToSession(named[0]);
}

/** The title with one more than the highest number in use; the plain title if it is free. */
export function* nextTitle(db: Transaction, title: string): Work<string> {
  const base = baseOfTitle(title);
  const taken = (yield* db.all<{ title: string }>(TITLES, ...rangeOf(base))).map((row) => row.title);
  if (taken.length === 0) return base;
  let number = nextNumber(base, taken);
  // The query by range does not find titles that were shortened to make room for their number.
  while ((yield* db.get(BY_TITLE, titleWithNumber(base, number))) !== undefined) number += 1;
  return titleWithNumber(base, number);
}

/** Whether there is a branch between a session and the session with the plain title. */
function* isBranchedOff(db: Transaction, id: string, title: string): Work<boolean> {
  const top = (yield* db.get<SessionRow>(BY_TITLE, title))?.id;
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null && at !== top && !seen.has(at); ) {
    seen.add(at);
    const row: { parent: string | null; isBranch: number } | undefined = yield* db.get(PARENT, at);
    if (row?.isBranch === 1) return true;
    at = row?.parent ?? null;
  }
  return false;
}
