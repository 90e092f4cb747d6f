import type { SessionRecord, SessionSummary } from '../../contracts/index.ts';
import { textOf } from './text-of.ts';
import { toMilliseconds } from './time.ts';

export type SessionRow = {
  id: string;
  source: string;
  model: string | null;
  /** Bytes where the driver might end text at an odd character. */
  system_prompt: Uint8Array | string | null;
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
    systemPrompt: promptOf(row.system_prompt),
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

function promptOf(stored: Uint8Array | string | null): string | undefined {
  if (stored === null) return undefined;
  return typeof stored === 'string' ? stored : textOf(stored);
}

export function rowToSummary(row: SummaryRow): SessionSummary {
  return { ...rowToSession(row), preview: row.preview, lastActiveAt: toMilliseconds(row.last_active) };
}
