import type { RemovedCalls, SessionTransfer } from '../../contracts/index.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { unknownCalls } from '../unknown-calls.ts';
import { insertCallRow } from './accounting.ts';
import { CALLS } from './call-row.ts';
import type { Connection } from './connection.ts';

const REMOVED = `SELECT DISTINCT session_id AS id FROM model_calls
WHERE session_id NOT IN (SELECT id FROM sessions) ORDER BY session_id`;

export function createRemovedCalls(
  connection: Connection,
): Pick<SessionTransfer, 'exportRemovedCalls' | 'importRemovedCalls'> {
  const callsOf = (sessionId: string) => (connection.all(CALLS, sessionId) as CallRow[]).map((row) => callOf(row));
  return {
    async *exportRemovedCalls(): AsyncGenerator<RemovedCalls> {
      const removed = (await connection.read(() => connection.all(REMOVED))) as { id: string }[];
      for (const { id } of removed) yield { sessionId: id, calls: await connection.read(() => callsOf(id)) };
    },
    importRemovedCalls: ({ sessionId, calls }) =>
      connection.write(() => {
        const missing = unknownCalls(calls, callsOf(sessionId));
        for (const call of missing) insertCallRow(connection, sessionId, call);
        return missing.length;
      }),
  };
}
