import { SUBAGENT_SOURCE } from '../../contracts/index.ts';

/** A session of a subagent, the ones that continue it included. */
export const isSubagents = (session: string) => `${session}.source = '${SUBAGENT_SOURCE}'`;

/**
 * A session that works for its parent and continues nothing. The source tells, as it does in files of the original: it
 * goes with a session into exports and through compression, and a subagent has none of its own.
 */
export const isDelegated = (session: string) => `(${isSubagents(session)}
AND NOT EXISTS (SELECT 1 FROM sessions d WHERE d.id = ${session}.parent_session_id AND ${isSubagents('d')}))`;
