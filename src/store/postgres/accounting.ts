import type { CallRecord, SessionStore, SpentSoFar, TurnRecord } from '../../contracts/index.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { toSeconds } from '../rows/time.ts';
import { rowToTurn, type TurnRow } from '../rows/turn-row.ts';
import { unknownSession } from '../session-errors.ts';
import { costsSomething, isUnpriced } from '../unpriced-calls.ts';
import type { Connection, Queries } from './connection.ts';
import { isMissingReference } from './database-error.ts';

type Accounting = Pick<
  SessionStore,
  'recordCall' | 'recordTurn' | 'getTurns' | 'spendingSince' | 'sessionSpending' | 'getLastCall'
>;

const INSERT_CALL = `INSERT INTO model_calls (session_id, task_id, provider, model, base_url, started_at, duration_ms,
input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, cost_status,
cost_source, pricing_version, outcome, purpose)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`;

// The session's own figures; a sum is only as certain as its least certain part.
const COUNT_CALL = `UPDATE sessions SET
input_tokens = input_tokens + $1, output_tokens = output_tokens + $2, cache_read_tokens = cache_read_tokens + $3,
cache_write_tokens = cache_write_tokens + $4, reasoning_tokens = reasoning_tokens + $5,
billing_provider = COALESCE($6, billing_provider), billing_base_url = COALESCE($7, billing_base_url),
estimated_cost_usd = CASE WHEN $9::text = 'unknown' THEN estimated_cost_usd
  ELSE COALESCE(estimated_cost_usd, 0) + $8::float8 END,
actual_cost_usd = CASE WHEN $9::text = 'actual' THEN COALESCE(actual_cost_usd, 0) + $8::float8 ELSE actual_cost_usd END,
cost_status = CASE WHEN $12::int = 0 THEN cost_status WHEN cost_status IS NULL THEN $9::text
  WHEN 'unknown' IN (cost_status, $9::text) THEN 'unknown'
  WHEN 'estimated' IN (cost_status, $9::text) THEN 'estimated' ELSE $9::text END,
cost_source = COALESCE($10, cost_source), pricing_version = COALESCE($11, pricing_version)
WHERE id = $13`;

const INSERT_TURN = `INSERT INTO turns (session_id, task_id, started_at, ended_at, exit_reason, api_calls, tool_calls,
model, provider, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
export const TURNS = 'SELECT * FROM turns WHERE session_id = $1 ORDER BY id';
export const CALLS = 'SELECT * FROM model_calls WHERE session_id = $1 ORDER BY id';

// The answer to a call that began after the newest one was taken back.
const LAST_CALL = `SELECT * FROM model_calls WHERE session_id = $1 AND purpose IS NULL AND outcome = 'ok'
AND started_at <= (SELECT MAX(timestamp) FROM messages WHERE session_id = $1 AND role = 'assistant')
ORDER BY id DESC LIMIT 1`;

const SPENDING = `SELECT COALESCE(SUM(cost_usd), 0) AS usd,
COALESCE(SUM(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens), 0) AS tokens,
COUNT(*) FILTER (WHERE ${isUnpriced('model_calls')}) AS unpriced FROM model_calls`;
const SPENDING_SINCE = `${SPENDING} WHERE started_at >= $1`;
// Up to where the lineage began and down to everything it started, past no branch.
const SESSION_SPENDING = `WITH RECURSIVE
up(id) AS (SELECT $1::text COLLATE "C" UNION SELECT s.parent_session_id FROM sessions s JOIN up ON s.id = up.id
  WHERE s.parent_session_id IS NOT NULL AND s.id NOT IN (SELECT session_id FROM session_branches)),
down(id) AS (SELECT id FROM up UNION SELECT s.id FROM sessions s JOIN down ON s.parent_session_id = down.id
  WHERE s.id NOT IN (SELECT session_id FROM session_branches))
${SPENDING} WHERE session_id IN (SELECT id FROM down)`;

export function createAccounting(connection: Connection): Accounting {
  const spending = (sql: string, value: string | number) =>
    connection.read(async (db) => (await db.get<SpentSoFar>(sql, value)) ?? { usd: 0, tokens: 0, unpriced: 0 });
  return {
    recordCall: (sessionId, call) => connection.write((db) => insertCall(connection, db, sessionId, call)),
    recordTurn: (turn) => recordTurn(connection, turn),
    getTurns: (sessionId) =>
      connection.read(async (db) => (await db.all<TurnRow>(TURNS, sessionId)).map((row) => rowToTurn(sessionId, row))),
    spendingSince: (timestamp) => spending(SPENDING_SINCE, toSeconds(timestamp)),
    sessionSpending: (sessionId) => spending(SESSION_SPENDING, sessionId),
    getLastCall: (sessionId) =>
      connection.read(async (db) => {
        const row = await db.get<CallRow>(LAST_CALL, sessionId);
        return row && callOf(row);
      }),
  };
}

/** Inside a transaction: the call's own row, and its share of the session's figures. */
export async function insertCall(
  connection: Connection,
  db: Queries,
  sessionId: string,
  call: CallRecord,
): Promise<void> {
  const { usage, cost, purpose } = call;
  // Who serves the session is who answers its chat.
  const [provider, baseUrl] = purpose === undefined ? [call.provider, call.baseUrl] : [null, null];
  const tokens = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.reasoning] as const;
  const money = [cost.usd, cost.status, cost.source ?? null, cost.pricingVersion ?? null] as const;
  const counts = costsSomething(call) ? 1 : 0;
  const counted = await db.run(COUNT_CALL, ...tokens, provider, baseUrl, ...money, counts, sessionId);
  if (counted === 0 && purpose === undefined) throw unknownSession(sessionId, connection.place);
  await insertCallRow(db, sessionId, call);
}

/** Inside a transaction: only the call's own row, for a session whose figures hold it already. */
export async function insertCallRow(db: Queries, sessionId: string, call: CallRecord): Promise<void> {
  const { provider, model, baseUrl, usage, cost } = call;
  await db.run(
    INSERT_CALL,
    ...[sessionId, call.taskId, provider, model, baseUrl, toSeconds(call.startedAt), call.durationMs],
    ...[usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.reasoning],
    ...[cost.usd, cost.status, cost.source ?? null, cost.pricingVersion ?? null],
    ...[call.outcome, call.purpose ?? null],
  );
}

async function recordTurn(connection: Connection, turn: TurnRecord): Promise<void> {
  try {
    await connection.write((db) => insertTurn(db, turn));
  } catch (thrown) {
    throw isMissingReference(thrown) ? unknownSession(turn.sessionId, connection.place) : thrown;
  }
}

export async function insertTurn(db: Queries, turn: TurnRecord): Promise<void> {
  const { sessionId, taskId, exitReason, apiCalls, toolCalls, model, provider, error = null } = turn;
  const when = [toSeconds(turn.startedAt), toSeconds(turn.endedAt)] as const;
  await db.run(INSERT_TURN, sessionId, taskId, ...when, exitReason, apiCalls, toolCalls, model, provider, error);
}
