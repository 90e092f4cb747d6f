import type { ExitReason } from '../../base/index.ts';
import type { TurnRecord } from '../../contracts/index.ts';
import { toMilliseconds } from './time.ts';

export type TurnRow = Record<'task_id' | 'exit_reason' | 'model' | 'provider', string> &
  Record<'started_at' | 'ended_at' | 'api_calls' | 'tool_calls', number> & { error: string | null };

export function rowToTurn(sessionId: string, row: TurnRow): TurnRecord {
  const turn: TurnRecord = {
    sessionId,
    taskId: row.task_id,
    startedAt: toMilliseconds(row.started_at),
    endedAt: toMilliseconds(row.ended_at),
    exitReason: row.exit_reason as ExitReason,
    apiCalls: row.api_calls,
    toolCalls: row.tool_calls,
    model: row.model,
    provider: row.provider,
  };
  if (row.error !== null) turn.error = row.error;
  return turn;
}
