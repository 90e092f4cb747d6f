import type { CallRecord, RemovedCalls, SessionStore, SpendingTotal, TurnRecord } from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';
import { type CallRow, mayHaveCost, isUnpriced, rowToCall, rowToTurn, type TurnRow } from '../rows/call-row.ts';
import { toSeconds } from '../rows/values.ts';
import { unknownSession } from './session-errors.ts';

type Accounting = Pick<
  SessionStore,
  | 'recordCall'
  | 'recordTurn'
  | 'getTurns'
  | 'spendingSince'
  | 'sessionSpending'
  | 'getCalls'
  | 'getLastCall'
  | 'getLastCalls'
  | 'exportRemovedCalls'
  | 'importRemovedCalls'
>;

const INSERT_CALL = `INSERT INTO model_calls (session_id, task_id, provider, model, base_url, started_at, duration_ms,
input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, cost_status,
cost_source, pricing_version, outcome, purpose, cache_miss)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

// The totals in the session row, as the original stores them, with the messages that are stored together with the call. The estimated cost contains the best available figure
// for every call, because the original's statistics add up that column; a sum is only as certain as its least certain
// part.
const COUNT_CALL = `UPDATE sessions SET
message_count = COALESCE(message_count, 0) + ?14, tool_call_count = COALESCE(tool_call_count, 0) + ?15,
input_tokens = COALESCE(input_tokens, 0) + ?1, output_tokens = COALESCE(output_tokens, 0) + ?2,
cache_read_tokens = COALESCE(cache_read_tokens, 0) + ?3, cache_write_tokens = COALESCE(cache_write_tokens, 0) + ?4,
reasoning_tokens = COALESCE(reasoning_tokens, 0) + ?5,
billing_provider = COALESCE(?6, billing_provider), billing_base_url = COALESCE(?7, billing_base_url),
estimated_cost_usd = CASE WHEN {text ?9} = 'unknown' THEN estimated_cost_usd
  ELSE COALESCE(estimated_cost_usd, 0) + CAST(?8 AS DOUBLE PRECISION) END,
actual_cost_usd = CASE WHEN {text ?9} = 'actual' THEN COALESCE(actual_cost_usd, 0) + CAST(?8 AS DOUBLE PRECISION)
  ELSE actual_cost_usd END,
cost_status = CASE WHEN CAST(?12 AS INTEGER) = 0 THEN cost_status WHEN cost_status IS NULL THEN {text ?9}
  WHEN 'unknown' IN (cost_status, {text ?9}) THEN 'unknown'
  WHEN 'estimated' IN (cost_status, {text ?9}) THEN 'estimated' ELSE {text ?9} END,
cost_source = COALESCE(?10, cost_source), pricing_version = COALESCE(?11, pricing_version)
WHERE id = ?13`;

const INSERT_TURN = `INSERT INTO turns (session_id, task_id, started_at, ended_at, exit_reason, api_calls, tool_calls,
model, provider, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const TURNS = 'SELECT * FROM turns WHERE session_id = ? ORDER BY id';
const CALLS = 'SELECT * FROM model_calls WHERE session_id = ? ORDER BY id';
const LAST_CALLS = `SELECT * FROM model_calls WHERE id IN (SELECT MAX(id) FROM model_calls
WHERE session_id = ?1 AND purpose IS NULL AND outcome <> 'failed' GROUP BY provider, model) ORDER BY id`;
const REMOVED_SESSIONS = `SELECT DISTINCT c.session_id AS id FROM model_calls c
WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = c.session_id) ORDER BY c.session_id`;

// A call that started after the newest answer belongs to an answer that was undone.
const LAST_CALL = `SELECT * FROM model_calls WHERE session_id = ?1 AND purpose IS NULL AND outcome = 'ok'
AND started_at <= (SELECT timestamp FROM messages WHERE session_id = ?1 AND role = 'assistant'
  ORDER BY timestamp DESC LIMIT 1)
ORDER BY id DESC LIMIT 1`;

const SPENDING = `SELECT COALESCE(SUM(cost_usd), 0) AS usd,
COALESCE(SUM(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens), 0) AS tokens,
COUNT(*) FILTER (WHERE ${isUnpriced('model_calls')}) AS unpriced FROM model_calls`;
const SPENDING_SINCE = `${SPENDING} WHERE started_at >= ?`;
// Walks up to the start of the lineage and down to every session it started; stops at branches.
const SESSION_SPENDING = `WITH RECURSIVE
up(id) AS (SELECT {text ?1} UNION SELECT s.parent_session_id FROM sessions s JOIN up ON s.id = up.id
  WHERE s.parent_session_id IS NOT NULL AND s.id NOT IN (SELECT session_id FROM session_branches)),
down(id) AS (SELECT id FROM up UNION SELECT s.id FROM sessions s JOIN down ON s.parent_session_id = down.id
  WHERE s.id NOT IN (SELECT session_id FROM session_branches))
${SPENDING} WHERE session_id IN (SELECT id FROM down)`;

export function createAccounting(database: Database): Accounting {
  const spending = async (sql: string, value: string | number) => {
    const {
      usd = 0,
      tokens = 0,
      unpriced = 0,
    } = (await database.read((db) => db.get<SpendingTotal>(sql, value))) ?? {};
    return { usd, tokens, unpriced };
  };
  return {
    recordCall: (sessionId, call) => database.write((db) => insertCall(db, sessionId, call)),
    recordTurn: (turn) => recordTurn(database, turn),
    getTurns: (sessionId) => database.read((db) => readTurns(db, sessionId)),
    spendingSince: (timestamp) => spending(SPENDING_SINCE, toSeconds(timestamp)),
    sessionSpending: (sessionId) => spending(SESSION_SPENDING, sessionId),
    getCalls: (sessionId) => database.read((db) => readCalls(db, sessionId)),
    async getLastCalls(sessionId) {
      return (await database.read((db) => db.all<CallRow>(LAST_CALLS, sessionId))).map(rowToCall);
    },
    async getLastCall(sessionId) {
      const row = await database.read((db) => db.get<CallRow>(LAST_CALL, sessionId));
      return row && rowToCall(row);
    },
    async *exportRemovedCalls(): AsyncGenerator<RemovedCalls> {
      const removed = await database.read((db) => db.all<{ id: string }>(REMOVED_SESSIONS));
      for (const { id } of removed) yield { sessionId: id, calls: await database.read((db) => readCalls(db, id)) };
    },
    importRemovedCalls: ({ sessionId, calls }) => database.write((db) => importCalls(db, sessionId, calls)),
  };
}

/**
 * Inserts the call and adds it to the totals of the session. Both are needed: the original only knows the totals, and
 * limits per day need the time of each call.
 */
function* insertCall(db: Transaction, sessionId: string, call: CallRecord): Work<void> {
  const isCounted = yield* countCall(db, sessionId, call, { messages: 0, toolCalls: 0 });
  if (!isCounted && call.purpose === undefined) throw unknownSession(sessionId, db.location);
  yield* insertCallRow(db, sessionId, call);
}

/** Adds a call, and what is stored with it, to the totals of the session. Returns whether the session exists. */
export function* countCall(
  db: Transaction,
  sessionId: string,
  call: CallRecord,
  added: { messages: number; toolCalls: number },
): Work<boolean> {
  const { usage, cost, purpose } = call;
  // Only chat calls set the provider of the session; auxiliary tasks may use another one.
  const [provider, baseUrl] = purpose === undefined ? [call.provider, call.baseUrl] : [null, null];
  const counted = yield* db.run(
    COUNT_CALL,
    usage.input,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    usage.reasoning,
    provider,
    baseUrl,
    cost.usd,
    cost.status,
    cost.source ?? null,
    cost.pricingVersion ?? null,
    mayHaveCost(call) ? 1 : 0,
    sessionId,
    added.messages,
    added.toolCalls,
  );
  return counted > 0;
}

/** Inserts only the call, for a session whose totals already include it. */
export function* insertCallRow(db: Transaction, sessionId: string, call: CallRecord): Work<void> {
  const { usage, cost } = call;
  yield* db.run(
    INSERT_CALL,
    sessionId,
    call.taskId,
    call.provider,
    call.model,
    call.baseUrl,
    toSeconds(call.startedAt),
    call.durationMs,
    usage.input,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    usage.reasoning,
    cost.usd,
    cost.status,
    cost.source ?? null,
    cost.pricingVersion ?? null,
    call.outcome,
    call.purpose ?? null,
    call.cacheMiss === undefined ? null : JSON.stringify(call.cacheMiss),
  );
}

export function* readCalls(db: Transaction, sessionId: string): Work<CallRecord[]> {
  return (yield* db.all<CallRow>(CALLS, sessionId)).map(rowToCall);
}

/** Inserts the calls that are not recorded yet and returns their number. */
export function* importCalls(db: Transaction, sessionId: string, calls: readonly CallRecord[]): Work<number> {
  const missing = missingCalls(calls, yield* readCalls(db, sessionId));
  for (const call of missing) yield* insertCallRow(db, sessionId, call);
  return missing.length;
}

/**
 * The calls of a deleted session stay recorded, because the money is spent. Importing the session must not duplicate
 * them.
 */
function missingCalls(calls: readonly CallRecord[], recorded: readonly CallRecord[]): CallRecord[] {
  const known = new Map<string, number>();
  for (const call of recorded) known.set(keyOf(call), (known.get(keyOf(call)) ?? 0) + 1);
  return calls.filter((call) => {
    const left = known.get(keyOf(call)) ?? 0;
    known.set(keyOf(call), left - 1);
    return left <= 0;
  });
}

function keyOf(call: CallRecord): string {
  const { taskId, purpose, provider, model, startedAt, durationMs, outcome, usage } = call;
  return JSON.stringify([taskId, purpose, provider, model, startedAt, durationMs, outcome, usage.input, usage.output]);
}

export function* readTurns(db: Transaction, sessionId: string): Work<TurnRecord[]> {
  return (yield* db.all<TurnRow>(TURNS, sessionId)).map((row) => rowToTurn(sessionId, row));
}

async function recordTurn(database: Database, turn: TurnRecord): Promise<void> {
  try {
    await database.write((db) => insertTurn(db, turn));
  } catch (thrown) {
    throw database.isMissingReference(thrown) ? unknownSession(turn.sessionId, database.location) : thrown;
  }
}

export function* insertTurn(db: Transaction, turn: TurnRecord): Work<void> {
  const { sessionId, taskId, exitReason, apiCalls, toolCalls, model, provider, error = null } = turn;
  const [startedAt, endedAt] = [toSeconds(turn.startedAt), toSeconds(turn.endedAt)];
  yield* db.run(
    INSERT_TURN,
    sessionId,
    taskId,
    startedAt,
    endedAt,
    exitReason,
    apiCalls,
    toolCalls,
    model,
    provider,
    error,
  );
}
