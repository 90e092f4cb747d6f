import { isDelegated } from './subagents.ts';

/**
 * The columns of a session that we read; another program may have left any of them empty. The prompt is read as bytes,
 * because it must come back exactly, whatever the driver does with odd characters.
 */
export const SESSION_COLUMNS = `s.id, s.source, s.model, CAST(s.system_prompt AS BLOB) AS system_prompt,
s.parent_session_id, s.title, s.started_at, s.ended_at, s.end_reason, s.message_count, s.tool_call_count,
s.input_tokens, s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, s.reasoning_tokens,
EXISTS (SELECT 1 FROM session_branches b WHERE b.session_id = s.id) AS is_branch, ${isDelegated('s')} AS is_delegated`;

export const SESSION_BY_ID = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = ?`;

// Looked up in the index of the messages and not kept in a column, which the original would not keep up to date.
export const LAST_ACTIVE = `COALESCE((SELECT MAX(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)`;
