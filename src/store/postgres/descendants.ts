import { SESSION_COLUMNS } from './session-columns.ts';

// UNION and not UNION ALL: a circle would end the walk.
const BELOW = `WITH RECURSIVE line(id) AS (
  SELECT id FROM sessions WHERE parent_session_id = $1
  UNION SELECT c.id FROM sessions c JOIN line ON c.parent_session_id = line.id)`;
const FOUND = 'FROM sessions s WHERE s.id IN (SELECT id FROM line) AND s.id <> $1';

export const DESCENDANT_IDS = `${BELOW} SELECT s.id ${FOUND} ORDER BY s.place`;
export const DESCENDANTS = `${BELOW} SELECT ${SESSION_COLUMNS} ${FOUND} ORDER BY s.place`;

/** Of those below a session, the ones for which this holds. */
export const descendantIdsWhere = (condition: string) =>
  `${BELOW} SELECT s.id ${FOUND} AND ${condition} ORDER BY s.place`;
