import type { SessionRecord, SessionSummary } from '../../contracts/index.ts';
import { textOf } from './nul-text.ts';
import { isDelegated } from './subagents.ts';
import { toMilliseconds } from './time.ts';

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

export type SessionRow = {
  id: string;
  source: string;
  model: string | null;
  system_prompt: Uint8Array | null;
  parent_session_id: string | null;
  title: string | null;
  started_at: number;
  ended_at: number | null;
  end_reason: string | null;
  message_count: number | null;
  tool_call_count: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  is_branch: number;
  is_delegated: number;
};

export type SummaryRow = SessionRow & { preview: string; last_active: number };

export function rowToSession(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    source: row.source,
    model: row.model ?? undefined,
    systemPrompt: row.system_prompt === null ? undefined : textOf(row.system_prompt),
    parentSessionId: row.parent_session_id ?? undefined,
    title: row.title ?? undefined,
    startedAt: toMilliseconds(row.started_at),
    endedAt: row.ended_at === null ? undefined : toMilliseconds(row.ended_at),
    endReason: row.end_reason ?? undefined,
    isBranch: row.is_branch === 1,
    isDelegated: row.is_delegated === 1,
    messageCount: row.message_count ?? 0,
    toolCallCount: row.tool_call_count ?? 0,
    usage: {
      input: row.input_tokens ?? 0,
      output: row.output_tokens ?? 0,
      cacheRead: row.cache_read_tokens ?? 0,
      cacheWrite: row.cache_write_tokens ?? 0,
      reasoning: row.reasoning_tokens ?? 0,
    },
  };
}

export function rowToSummary(row: SummaryRow): SessionSummary {
  return { ...rowToSession(row), preview: row.preview, lastActiveAt: toMilliseconds(row.last_active) };
}
