import type { SessionRecord } from '../../contracts/index.ts';
import { rowToSession, type SessionRow } from '../rows/session-row.ts';
import { baseOfTitle, isNumbered, nextNumber, splitTitle, titleWithNumber } from '../title.ts';
import type { Connection } from './connection.ts';
import { SESSION_COLUMNS } from './session-row.ts';

// The upper end is the last character there is: the range uses the index of the titles.
const OF_LINEAGE = `SELECT ${SESSION_COLUMNS} FROM sessions s
WHERE s.title = ?1 OR (s.title >= ?1 || ' #' AND s.title < ?1 || ' #' || char(0x10FFFF))
ORDER BY s.started_at DESC, s.rowid DESC`;
const TITLES = `SELECT title FROM sessions
WHERE title = ?1 OR (title >= ?1 || ' #' AND title < ?1 || ' #' || char(0x10FFFF))`;
const PARENT = `SELECT parent_session_id AS parent, EXISTS (SELECT 1 FROM session_branches b WHERE b.session_id = s.id)
AS isBranch FROM sessions s WHERE s.id = ?`;
const BY_TITLE = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.title = ?`;

/**
 * The newest session of a title's lineage; a title with a number means exactly that one. A branch has a number too, but
 * goes its own way: it is meant only where nothing else is left.
 */
export function findByTitle(connection: Connection, title: string): SessionRecord | undefined {
  const { number } = splitTitle(title);
  const rows = (
    number === undefined ? connection.all(OF_LINEAGE, title) : connection.all(BY_TITLE, title)
  ) as SessionRow[];
  const named = rows.filter((row) => row.title === title || isNumbered(row.title, title));
  const newest = named.find((row) => !isBranchedOff(connection, row.id, title)) ?? named[0];
  return newest && rowToSession(newest);
}

/** One more than the highest number in use; the plain title where nobody has it. */
export function nextTitle(connection: Connection, title: string): string {
  const base = baseOfTitle(title);
  const taken = (connection.all(TITLES, base) as { title: string }[]).map((row) => row.title);
  if (taken.length === 0) return base;
  let number = nextNumber(base, taken);
  // A title that had to be shortened for its number is not among those.
  while (connection.get(BY_TITLE, titleWithNumber(base, number)) !== undefined) number += 1;
  return titleWithNumber(base, number);
}

/** Whether a branch lies between a session and the one that has the title itself. */
function isBranchedOff(connection: Connection, id: string, title: string): boolean {
  const top = (connection.get(BY_TITLE, title) as SessionRow | undefined)?.id;
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null && at !== top && !seen.has(at); ) {
    seen.add(at);
    const row = connection.get(PARENT, at) as { parent: string | null; isBranch: number } | undefined;
    if (row?.isBranch === 1) return true;
    at = row?.parent ?? null;
  }
  return false;
}
