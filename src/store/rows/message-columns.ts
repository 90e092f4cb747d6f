import type { NewMessage, SqlValue } from '../database.ts';

/** The columns of `messages` that both databases have, except for the ids. */
export const MESSAGE_COLUMNS = `role, content, tool_call_id, tool_calls, tool_name, finish_reason, reasoning, reasoning_details,
codex_reasoning_items, sent_content, producer, timestamp, tool_status, copy_of, attachments`;

/** The values of `session_id` and `MESSAGE_COLUMNS`, in that order. */
export function messageValues(sessionId: string, { row, timestamp, toolStatus, copyOf }: NewMessage): SqlValue[] {
  return [
    sessionId,
    row.role,
    row.content,
    row.tool_call_id,
    row.tool_calls,
    row.tool_name,
    row.finish_reason,
    row.reasoning,
    row.reasoning_details,
    row.codex_reasoning_items,
    row.sent_content,
    row.producer,
    timestamp,
    toolStatus ?? null,
    copyOf ?? null,
    row.attachments,
  ];
}
