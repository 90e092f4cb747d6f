import type { ToolStatus } from '../../base/index.ts';
import type { StoredMessage } from '../../contracts/index.ts';
import { type MessageRow, rowToMessage } from '../message-row.ts';
import { toMilliseconds } from './time.ts';

export type StoredRow = MessageRow & {
  id: number;
  timestamp: number;
  tool_status: string | null;
  copy_of: number | null;
};

export function rowToStored(sessionId: string, row: StoredRow): StoredMessage | undefined {
  const message = rowToMessage(row);
  if (message === undefined) return undefined;
  const stored: StoredMessage = { id: row.id, sessionId, timestamp: toMilliseconds(row.timestamp), message };
  if (row.tool_status !== null) stored.toolStatus = row.tool_status as ToolStatus;
  if (row.copy_of === row.id) stored.isReplacement = true;
  else if (row.copy_of !== null) stored.copyOf = row.copy_of;
  return stored;
}
