import { SUBAGENT_SOURCE } from '../../contracts/index.ts';

/** A session of a subagent, the ones that continue it included. */
export const isSubagents = (session: string) => `${session}.source = '${SUBAGENT_SOURCE}'`;

/** A session that works for its parent and continues nothing. */
export const isDelegated = (session: string) => `(${isSubagents(session)}
AND NOT EXISTS (SELECT 1 FROM sessions d WHERE d.id = ${session}.parent_session_id AND ${isSubagents('d')}))`;

export const isBranch = (session: string) =>
  `EXISTS (SELECT 1 FROM session_branches b WHERE b.session_id = ${session}.id)`;
