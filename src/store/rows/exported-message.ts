import type { ToolStatus } from '../../base/index.ts';
import type { ExportedMessage } from '../../contracts/index.ts';
import { rowToMessage } from '../message-row.ts';
import type { StoredRow } from './stored-row.ts';
import { toMilliseconds } from './time.ts';

/** The message that another one was copied from; `isSame` where the copy says as much. */
export type OriginalRow = { sessionId: string; position: number; isSame: boolean };

/** `shown` are the sessions that stand before it in the export. Undefined where the row is no message. */
export function exportMessage(
  row: StoredRow,
  original: OriginalRow | undefined,
  shown: ReadonlySet<string>,
): ExportedMessage | undefined {
  const message = rowToMessage(row);
  if (message === undefined) return undefined;
  const exported: ExportedMessage = { timestamp: toMilliseconds(row.timestamp) };
  if (row.tool_status !== null) exported.toolStatus = row.tool_status as ToolStatus;
  if (row.copy_of === row.id) exported.isReplacement = true;
  if (original !== undefined) exported.copyOf = { sessionId: original.sessionId, position: original.position };
  // What a shortened copy says stands nowhere else.
  if (!original?.isSame || !shown.has(original.sessionId)) exported.message = message;
  return exported;
}
