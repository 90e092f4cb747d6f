import { isBranch, isDelegated } from './subagents.ts';

/** The columns of a session `s`, in the form that `rowToSession` reads. */
export const SESSION_COLUMNS = `s.id, s.source, s.model, s.system_prompt, s.parent_session_id, s.title, s.started_at,
s.ended_at, s.end_reason, s.message_count, s.tool_call_count, s.input_tokens, s.output_tokens, s.cache_read_tokens,
s.cache_write_tokens, s.reasoning_tokens, ${isBranch('s')}::int AS is_branch, ${isDelegated('s')}::int AS is_delegated`;

export const SESSION_BY_ID = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = $1`;

export const LAST_ACTIVE = `COALESCE((SELECT MAX(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)`;

/** A message that another one stands for; a copy whose original was deleted stands for itself. */
export const isCopy = (message: string) => `(${message}.copy_of IS NOT NULL
AND EXISTS (SELECT 1 FROM messages o WHERE o.id = ${message}.copy_of))`;
