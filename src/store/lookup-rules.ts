import { ConfigurationError } from '../base/index.ts';
import type { SessionRecord } from '../contracts/index.ts';
import { rowToSession, type SessionRow } from './rows/session-row.ts';

/** What all stores do alike when a session is looked for. */
export const SHORTEST_PREFIX = 4;
const CANDIDATES_SHOWN = 5;
/** So many are asked for: one more than is shown tells that there are others. */
export const CANDIDATES = CANDIDATES_SHOWN + 1;
/** No title is longer, and databases mind patterns without end. */
const LONGEST_PART = 100;

/** A pattern for LIKE that finds a part of a title; a backslash is its escape. */
export function titlePattern(part: string): string {
  return `%${part.slice(0, LONGEST_PART).replace(/[\\%_]/g, '\\$&')}%`;
}

/** The one session whose id begins so; the error names them where there are several. */
export function onlyOne(prefix: string, rows: readonly SessionRow[]): SessionRecord | undefined {
  const [only] = rows;
  if (only === undefined) return undefined;
  if (rows.length === 1) return rowToSession(only);
  const names = rows
    .slice(0, CANDIDATES_SHOWN)
    .map((row) => (row.title === null ? row.id : `${row.id} (${row.title})`));
  const more = rows.length > CANDIDATES_SHOWN ? ', …' : '';
  throw new ConfigurationError(`"${prefix}" is the beginning of several session ids: ${names.join(', ')}${more}.`, {
    hint: 'Give more characters of the id, or the title.',
  });
}
