import { type CacheMiss, type Cost, type ExitReason, isJsonObject, parseJson, totalTokens } from '../../base/index.ts';
import { type CallRecord, PAID_TASKS, type TurnRecord } from '../../contracts/index.ts';
import { toMilliseconds } from './values.ts';

export type CallRow = {
  task_id: string;
  purpose: CallRecord['purpose'] | null;
  provider: string;
  model: string;
  base_url: string;
  started_at: number;
  duration_ms: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  cost_usd: number;
  cost_status: Cost['status'];
  cost_source: string | null;
  pricing_version: string | null;
  outcome: CallRecord['outcome'];
  cache_miss: string | null;
};

export function rowToCall(row: CallRow): CallRecord {
  const cost: Cost = { usd: row.cost_usd, status: row.cost_status };
  if (row.cost_source !== null) cost.source = row.cost_source;
  if (row.pricing_version !== null) cost.pricingVersion = row.pricing_version;
  const record: CallRecord = {
    taskId: row.task_id,
    provider: row.provider,
    model: row.model,
    baseUrl: row.base_url,
    startedAt: toMilliseconds(row.started_at),
    durationMs: row.duration_ms,
    usage: {
      input: row.input_tokens,
      output: row.output_tokens,
      cacheRead: row.cache_read_tokens,
      cacheWrite: row.cache_write_tokens,
      reasoning: row.reasoning_tokens,
    },
    cost,
    outcome: row.outcome,
  };
  if (row.purpose !== null) record.purpose = row.purpose;
  const miss = row.cache_miss === null ? undefined : missFromJson(row.cache_miss);
  if (miss !== undefined) record.cacheMiss = miss;
  return record;
}

/** A later version may know other reasons, so the reason itself is not checked. */
export function missFromJson(text: string): CacheMiss | undefined {
  const miss = parseJson(text);
  if (!isJsonObject(miss) || typeof miss['reason'] !== 'string' || typeof miss['tokens'] !== 'number') return undefined;
  return miss as unknown as CacheMiss;
}

export type TurnRow = Record<'task_id' | 'exit_reason' | 'model' | 'provider', string> &
  Record<'started_at' | 'ended_at' | 'api_calls' | 'tool_calls', number> & { error: string | null };

export function rowToTurn(sessionId: string, row: TurnRow): TurnRecord {
  const turn: TurnRecord = {
    sessionId,
    taskId: row.task_id,
    startedAt: toMilliseconds(row.started_at),
    endedAt: toMilliseconds(row.ended_at),
    exitReason: row.exit_reason as ExitReason,
    apiCalls: row.api_calls,
    toolCalls: row.tool_calls,
    model: row.model,
    provider: row.provider,
  };
  if (row.error !== null) turn.error = row.error;
  return turn;
}

const PAID_NAMES: readonly (string | undefined)[] = PAID_TASKS;

/**
 * Whether a call can have cost something. A call that failed early has no tokens and no cost. A service that charges
 * per item has no tokens but a cost.
 */
export function mayHaveCost({ usage, cost, purpose }: CallRecord): boolean {
  return totalTokens(usage) > 0 || cost.usd > 0 || PAID_NAMES.includes(purpose);
}

/** The same condition in SQL, for calls of unknown cost. */
export function isUnpriced(call: string): string {
  const tokens = ['input', 'output', 'cache_read', 'cache_write'].map((kind) => `${call}.${kind}_tokens`).join(' + ');
  const paid = PAID_TASKS.map((name) => `'${name}'`).join(', ');
  return `${call}.cost_status = 'unknown' AND (${tokens} > 0 OR COALESCE(${call}.purpose, '') IN (${paid}))`;
}
