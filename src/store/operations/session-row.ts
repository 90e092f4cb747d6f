import {
  SESSION_KINDS,
  type SessionOrigin,
  type SessionRecord,
  type SessionSummary,
  SUBAGENT_SOURCE,
} from '../../contracts/index.ts';
import { textOf, toMilliseconds } from '../rows/values.ts';
import { isPromptImported } from './imported-prompts.ts';

/** A session of a subagent, including the sessions that continue one after compression. */
export const isSubagentSession = (session: string) => `${session}.source = '${SUBAGENT_SOURCE}'`;

/**
 * The session in which a subagent started, without the sessions that continue it after compression. Its source
 * identifies it, as in files of the original: the source survives exports and compression, and a subagent has no
 * subagents.
 */
export const isDelegated = (session: string) => `(${isSubagentSession(session)}
AND NOT EXISTS (SELECT 1 FROM sessions d WHERE d.id = ${session}.parent_session_id AND ${isSubagentSession('d')}))`;

export const isBranch = (session: string) =>
  `EXISTS (SELECT 1 FROM session_branches b WHERE b.session_id = ${session}.id)`;

/** The columns of a session `s`; in a file that another program wrote, any of them may be NULL. */
export const SESSION_COLUMNS = `s.id, s.source, s.model, {bytes s.system_prompt} AS system_prompt,
s.parent_session_id, s.title, s.started_at, s.ended_at, s.end_reason, s.message_count, s.tool_call_count,
s.input_tokens, s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, s.reasoning_tokens,
${isBranch('s')} AS is_branch, ${isDelegated('s')} AS is_delegated,
${isPromptImported('s')} AS is_prompt_imported,
(SELECT o.working_directory FROM session_origins o WHERE o.session_id = s.id) AS working_directory,
(SELECT o.kind FROM session_origins o WHERE o.session_id = s.id) AS kind`;

export const SESSION_BY_ID = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = ?`;
export const SESSION_EXISTS = 'SELECT 1 FROM sessions WHERE id = ?';

// The time of the last message. It is not a column of `sessions`, because the original would not update it.
export const LAST_ACTIVE =
  'COALESCE((SELECT MAX(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)';

const BELOW = `WITH RECURSIVE line(id) AS (
  SELECT id FROM sessions WHERE parent_session_id = ?1
  UNION SELECT c.id FROM sessions c JOIN line ON c.parent_session_id = line.id)`;
/** UNION instead of UNION ALL, so that a cycle written by another program ends the recursion. */
const descendants = (columns: string, condition = 'TRUE') => `${BELOW} SELECT ${columns} FROM sessions s
WHERE s.id IN (SELECT id FROM line) AND s.id <> ?1 AND ${condition} ORDER BY {order s}`;

export const DESCENDANTS = descendants(SESSION_COLUMNS);
export const DESCENDANT_IDS = descendants('s.id');
/** The descendants that are not subagent sessions. */
export const OTHER_DESCENDANT_IDS = descendants('s.id', `NOT ${isSubagentSession('s')}`);

export type SessionRow = {
  id: string;
  source: string;
  model: string | null;
  /** Bytes on SQLite, whose driver may truncate text at a NUL. */
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
  working_directory: string | null;
  kind: string | null;
  is_prompt_imported: number;
};

export type SummaryRow = SessionRow & { preview: string; last_active: number };

export function rowToSession(row: SessionRow): SessionRecord {
  const session: SessionRecord = {
    id: row.id,
    source: row.source,
    model: row.model ?? undefined,
    systemPrompt: promptOf(row.system_prompt),
    parentSessionId: row.parent_session_id ?? undefined,
    title: row.title ?? undefined,
    startedAt: toMilliseconds(row.started_at),
    endedAt: row.ended_at === null ? undefined : toMilliseconds(row.ended_at),
    endReason: row.end_reason ?? undefined,
    origin: originOf(row),
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
  if (row.is_prompt_imported === 1) session.isPromptImported = true;
  return session;
}

function originOf({ working_directory: workingDirectory, kind }: SessionRow): SessionOrigin | undefined {
  const known = SESSION_KINDS.find((one) => one === kind);
  return workingDirectory === null || known === undefined ? undefined : { workingDirectory, kind: known };
}

function promptOf(stored: Uint8Array | string | null): string | undefined {
  if (stored === null) return undefined;
  return typeof stored === 'string' ? stored : textOf(stored);
}

export function rowToSummary(row: SummaryRow): SessionSummary {
  return { ...rowToSession(row), preview: row.preview, lastActiveAt: toMilliseconds(row.last_active) };
}
