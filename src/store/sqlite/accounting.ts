import type { CallRecord, SessionStore, SpentSoFar, TurnRecord } from '../../contracts/index.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { toSeconds } from '../rows/time.ts';
import { rowToTurn, type TurnRow } from '../rows/turn-row.ts';
import { LAST_CALL } from './call-row.ts';
import type { Connection } from './connection.ts';
import { isMissingReference } from './database-error.ts';
import { unknownSession } from '../session-errors.ts';
import { costsSomething, isUnpriced } from '../unpriced-calls.ts';

type Accounting = Pick<
  SessionStore,
  'recordCall' | 'recordTurn' | 'getTurns' | 'spendingSince' | 'sessionSpending' | 'getLastCall'
>;

const INSERT_CALL = `INSERT INTO model_calls (session_id, task_id, provider, model, base_url, started_at, duration_ms,
input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, cost_status,
cost_source, pricing_version, outcome, purpose) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

// The session's own figures, as the original keeps them. The estimate holds the best figure of every call, since that
// is the column its statistics add up; a sum is only as certain as its least certain part.
const COUNT_CALL = `UPDATE sessions SET
input_tokens = COALESCE(input_tokens, 0) + ?1, output_tokens = COALESCE(output_tokens, 0) + ?2,
cache_read_tokens = COALESCE(cache_read_tokens, 0) + ?3, cache_write_tokens = COALESCE(cache_write_tokens, 0) + ?4,
reasoning_tokens = COALESCE(reasoning_tokens, 0) + ?5,
billing_provider = COALESCE(?6, billing_provider), billing_base_url = COALESCE(?7, billing_base_url),
estimated_cost_usd = CASE WHEN ?9 = 'unknown' THEN estimated_cost_usd ELSE COALESCE(estimated_cost_usd, 0) + ?8 END,
actual_cost_usd = CASE WHEN ?9 = 'actual' THEN COALESCE(actual_cost_usd, 0) + ?8 ELSE actual_cost_usd END,
cost_status = CASE WHEN ?12 = 0 THEN cost_status WHEN cost_status IS NULL THEN ?9
  WHEN 'unknown' IN (cost_status, ?9) THEN 'unknown' WHEN 'estimated' IN (cost_status, ?9) THEN 'estimated' ELSE ?9 END,
cost_source = COALESCE(?10, cost_source), pricing_version = COALESCE(?11, pricing_version)
WHERE id = ?13`;

const INSERT_TURN = `INSERT INTO turns (session_id, task_id, started_at, ended_at, exit_reason, api_calls, tool_calls,
model, provider, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
export const TURNS = 'SELECT * FROM turns WHERE session_id = ? ORDER BY id';

const SPENDING = `SELECT COALESCE(SUM(cost_usd), 0) AS usd,
COALESCE(SUM(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens), 0) AS tokens,
COALESCE(SUM(${isUnpriced('model_calls')}), 0) AS unpriced FROM model_calls`;
const SPENDING_SINCE = `${SPENDING} WHERE started_at >= ?`;
// Up to where the lineage began and down to everything it started, past no branch.
const SESSION_SPENDING = `WITH RECURSIVE
up(id) AS (SELECT ?1 UNION SELECT s.parent_session_id FROM sessions s JOIN up ON s.id = up.id
  WHERE s.parent_session_id IS NOT NULL AND s.id NOT IN (SELECT session_id FROM session_branches)),
down(id) AS (SELECT id FROM up UNION SELECT s.id FROM sessions s JOIN down ON s.parent_session_id = down.id
  WHERE s.id NOT IN (SELECT session_id FROM session_branches))
${SPENDING} WHERE session_id IN (SELECT id FROM down)`;

export function createAccounting(connection: Connection): Accounting {
  const spending = (sql: string, value: string | number) =>
    connection.read(() => ({ ...(connection.get(sql, value) as SpentSoFar) }));
  return {
    recordCall: (sessionId, call) => connection.write(() => insertCall(connection, sessionId, call)),
    recordTurn: (turn) => recordTurn(connection, turn),
    getTurns: (sessionId) =>
      connection.read(() => (connection.all(TURNS, sessionId) as TurnRow[]).map((row) => rowToTurn(sessionId, row))),
    spendingSince: (timestamp) => spending(SPENDING_SINCE, toSeconds(timestamp)),
    sessionSpending: (sessionId) => spending(SESSION_SPENDING, sessionId),
    getLastCall: (sessionId) =>
      connection.read(() => {
        const row = connection.get(LAST_CALL, sessionId) as CallRow | undefined;
        return row && callOf(row);
      }),
  };
}

/**
 * Inside a transaction: the call's own row, and its share of the session's figures. Both are kept, because the
 * original knows only the figures, while limits over a day need to know when a call was made.
 */
export function insertCall(connection: Connection, sessionId: string, call: CallRecord): void {
  const { usage, cost, purpose } = call;
  // Who serves the session is who answers its chat.
  const [provider, baseUrl] = purpose === undefined ? [call.provider, call.baseUrl] : [null, null];
  const tokens = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.reasoning] as const;
  const money = [cost.usd, cost.status, cost.source ?? null, cost.pricingVersion ?? null] as const;
  const counts = costsSomething(call) ? 1 : 0;
  const counted = connection.run(COUNT_CALL, ...tokens, provider, baseUrl, ...money, counts, sessionId) > 0;
  if (!counted && purpose === undefined) {
    throw unknownSession(sessionId, connection.file);
  }
  insertCallRow(connection, sessionId, call);
}

/** Inside a transaction: only the call's own row, for a session whose figures hold it already. */
export function insertCallRow(connection: Connection, sessionId: string, call: CallRecord): void {
  const { provider, model, baseUrl, usage, cost } = call;
  const tokens = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.reasoning] as const;
  const money = [cost.usd, cost.status, cost.source ?? null, cost.pricingVersion ?? null] as const;
  const when = [toSeconds(call.startedAt), call.durationMs] as const;
  connection.run(
    INSERT_CALL,
    sessionId,
    call.taskId,
    provider,
    model,
    baseUrl,
    ...when,
    ...tokens,
    ...money,
    call.outcome,
    call.purpose ?? null,
  );
}

async function recordTurn(connection: Connection, turn: TurnRecord): Promise<void> {
  try {
    await connection.write(() => insertTurn(connection, turn));
  } catch (thrown) {
    throw isMissingReference(thrown) ? unknownSession(turn.sessionId, connection.file) : thrown;
  }
}

export function insertTurn(connection: Connection, turn: TurnRecord): void {
  const { sessionId, taskId, exitReason, apiCalls, toolCalls, model, provider, error = null } = turn;
  const when = [toSeconds(turn.startedAt), toSeconds(turn.endedAt)] as const;
  connection.run(INSERT_TURN, sessionId, taskId, ...when, exitReason, apiCalls, toolCalls, model, provider, error);
}
