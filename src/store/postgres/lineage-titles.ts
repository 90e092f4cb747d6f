import type { SessionRecord } from '../../contracts/index.ts';
import { rowToSession, type SessionRow } from '../rows/session-row.ts';
import { baseOfTitle, isNumbered, nextNumber, splitTitle, titleWithNumber } from '../title.ts';
import type { Queries } from './connection.ts';
import { SESSION_COLUMNS } from './session-columns.ts';
import { isBranch } from './subagents.ts';

/** A number of ours among the locks of the database. */
const TITLES_LOCK = 4_872_066;

// The upper end is the last character there is: the range uses the index of the titles.
const IN_LINEAGE = "(title = $1 OR (title >= $1 || ' #' AND title < $1 || ' #' || chr(1114111)))";
const OF_LINEAGE = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE ${IN_LINEAGE} ORDER BY s.started_at DESC, s.place DESC`;
const TITLES = `SELECT title FROM sessions WHERE ${IN_LINEAGE}`;
const PARENT = `SELECT parent_session_id AS parent, ${isBranch('s')} AS "isBranch" FROM sessions s WHERE s.id = $1`;
const BY_TITLE = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.title = $1`;

/**
 * Held until the transaction ends by whoever gives a title: nobody else gives one between a look and the change. It is
 * always taken before anything else, so that two of them cannot wait for each other.
 */
export async function lockTitles(db: Queries): Promise<void> {
  await db.run('SELECT pg_advisory_xact_lock($1)', TITLES_LOCK);
}

/** The newest session of a title's lineage; a title with a number means exactly that one, a branch only without others. */
export async function findByTitle(db: Queries, title: string): Promise<SessionRecord | undefined> {
  const { number } = splitTitle(title);
  const rows = await db.all<SessionRow>(number === undefined ? OF_LINEAGE : BY_TITLE, title);
  const named = rows.filter((row) => row.title === title || isNumbered(row.title, title));
  for (const row of named) if (!(await isBranchedOff(db, row.id, title))) return rowToSession(row);
  return named[0] && rowToSession(named[0]);
}

/** One more than the highest number in use; the plain title where nobody has it. */
export async function nextTitle(db: Queries, title: string): Promise<string> {
  const base = baseOfTitle(title);
  const taken = (await db.all<{ title: string }>(TITLES, base)).map((row) => row.title);
  if (taken.length === 0) return base;
  let number = nextNumber(base, taken);
  // A title that had to be shortened for its number is not among those.
  while ((await db.get(BY_TITLE, titleWithNumber(base, number))) !== undefined) number += 1;
  return titleWithNumber(base, number);
}

/** Whether a branch lies between a session and the one that has the title itself. */
async function isBranchedOff(db: Queries, id: string, title: string): Promise<boolean> {
  const top = (await db.get<SessionRow>(BY_TITLE, title))?.id;
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null && at !== top && !seen.has(at); ) {
    seen.add(at);
    const row: { parent: string | null; isBranch: boolean } | undefined = await db.get(PARENT, at);
    if (row?.isBranch) return true;
    at = row?.parent ?? null;
  }
  return false;
}
