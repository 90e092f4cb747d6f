import type { RemovedCalls, SessionTransfer } from '../../contracts/index.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { unknownCalls } from '../unknown-calls.ts';
import { CALLS, insertCallRow } from './accounting.ts';
import type { Connection, Queries } from './connection.ts';

const REMOVED = `SELECT DISTINCT session_id AS id FROM model_calls c
WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = c.session_id) ORDER BY session_id`;

export function createRemovedCalls(
  connection: Connection,
): Pick<SessionTransfer, 'exportRemovedCalls' | 'importRemovedCalls'> {
  const callsOf = async (db: Queries, sessionId: string) => (await db.all<CallRow>(CALLS, sessionId)).map(callOf);
  return {
    async *exportRemovedCalls(): AsyncGenerator<RemovedCalls> {
      const removed = await connection.read((db) => db.all<{ id: string }>(REMOVED));
      for (const { id } of removed) yield { sessionId: id, calls: await connection.read((db) => callsOf(db, id)) };
    },
    importRemovedCalls: ({ sessionId, calls }) =>
      connection.write(async (db) => {
        const missing = unknownCalls(calls, await callsOf(db, sessionId));
        for (const call of missing) await insertCallRow(db, sessionId, call);
        return missing.length;
      }),
  };
}
