import { randomUUID } from 'node:crypto';
import {
  ConfigurationError,
  isJsonObject,
  NO_COST,
  parseJson,
  type RunResult,
  totalTokens,
} from '../../../base/index.ts';
import { toJsonLine } from '../../../trajectories/index.ts';
import type { AgentsOptions } from '../batch-options.ts';
import type { RunManifest } from '../folder/run-folder.ts';
import { parseExactly, type PromptLine } from '../prompts/read-prompts.ts';
import type { PromptResult } from '../results/result-line.ts';
import type { JobQueue, SqlRows } from './open-queue.ts';

/** The agent options of a run besides the manifest. API keys come from the worker's machine. */
type QueuedOptions = Pick<
  AgentsOptions,
  'maxTurns' | 'ephemeralSystemPrompt' | 'prefillMessages' | 'redact' | 'template'
> & {
  /** The base of relative paths in the input. */
  inputFolder: string;
  maxSpendUsd?: number | undefined;
};

/** `submitting` until all prompts are stored, then `open`, or `cancelled`. */
type RunState = 'submitting' | 'open' | 'cancelled';
export type QueuedRun = {
  id: string;
  state: RunState;
  manifest: RunManifest;
  options: QueuedOptions;
  createdAt: number;
};

export type StoredResult = {
  index: number;
  kind: 'kept' | 'dropped' | 'failed';
  /** The sample, or the record of a dropped or failed prompt, as JSON. */
  line: string;
} & PaidCost;

/** What a prompt cost. */
export type PaidCost = {
  usd: number;
  tokens: number;
  costKnown: boolean;
  /** Identifies the attempt, so that storing it twice counts once. */
  attempt?: string | undefined;
};

/** Progress of a run. */
export type RunCounts = {
  prompts: number;
  kept: number;
  dropped: number;
  failed: number;
  usd: number;
  costKnown: boolean;
};

/**
 * Whether the spending limit forbids further prompts. If a price is unknown, the limit counts as reached, because it
 * could not be enforced.
 */
export function hasReachedLimit(
  { options: { maxSpendUsd } }: Pick<QueuedRun, 'options'>,
  { usd, costKnown }: Pick<RunCounts, 'usd' | 'costKnown'>,
): boolean {
  return maxSpendUsd !== undefined && (usd >= maxSpendUsd || !costKnown);
}

export function queueName({ id }: Pick<QueuedRun, 'id'>): string {
  return `batch_${id}`;
}

export async function saveRun(queue: JobQueue, run: QueuedRun): Promise<void> {
  const { id, state, manifest, options, createdAt } = run;
  await queue.sql('INSERT INTO hermes_batch.runs VALUES ($1, $2, $3, $4, $5)', [
    id,
    state,
    JSON.stringify(manifest),
    JSON.stringify(options),
    createdAt,
  ]);
}

export async function setState(queue: JobQueue, id: string, state: RunState): Promise<void> {
  await queue.sql('UPDATE hermes_batch.runs SET state = $2 WHERE id = $1', [id, state]);
}

/** Oldest first. */
export async function listRuns(queue: JobQueue): Promise<QueuedRun[]> {
  return (await queue.sql('SELECT * FROM hermes_batch.runs ORDER BY created_at, id')).map(toRun);
}

/** Finds a run by its id or a unique prefix. */
export async function requireRun(queue: JobQueue, reference: string): Promise<QueuedRun> {
  const found = (await listRuns(queue)).filter(({ id }) => id === reference || id.startsWith(reference));
  const exact = found.find(({ id }) => id === reference) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  throw new ConfigurationError(
    `${found.length === 0 ? 'No run' : 'More than one run'} in the queue matches "${reference}".`,
    {
      hint: 'Run `hermes batch status` to list all runs.',
    },
  );
}

function toRun(row: SqlRows[number]): QueuedRun {
  return {
    id: row['id'] as string,
    state: row['state'] as RunState,
    manifest: JSON.parse(row['manifest'] as string) as RunManifest,
    options: JSON.parse(row['options'] as string) as QueuedOptions,
    createdAt: row['created_at'] as number,
  };
}

export type QueuedPrompt = { index: number; key: string; prompt: PromptLine };

export async function savePrompts(queue: JobQueue, id: string, prompts: readonly QueuedPrompt[]): Promise<void> {
  const rows = prompts.map(({ index, key, prompt }) => ({ index, key, prompt: JSON.stringify(prompt) }));
  await queue.sql(
    `INSERT INTO hermes_batch.prompts SELECT $1, (row->>'index')::integer, row->>'key', row->>'prompt'
     FROM json_array_elements($2::json) AS row`,
    [id, JSON.stringify(rows)],
  );
}

export async function findPrompt(queue: JobQueue, id: string, index: number): Promise<QueuedPrompt | undefined> {
  const [row] = await queue.sql(
    'SELECT key, prompt FROM hermes_batch.prompts WHERE run_id = $1 AND prompt_index = $2',
    [id, index],
  );
  if (row === undefined) return undefined;
  return { index, key: row['key'] as string, prompt: parseExactly(row['prompt'] as string) as unknown as PromptLine };
}

/** Stores a result. If another worker was faster, its result is kept, but the cost of this one counts as well. */
export async function saveQueuedResult(queue: JobQueue, id: string, result: StoredResult): Promise<void> {
  const { index, kind, line, usd, tokens, costKnown, attempt = randomUUID() } = result;
  const stored = await queue.sql(
    `INSERT INTO hermes_batch.results
       (run_id, prompt_index, kind, line, usd, tokens, cost_known, finished_at, attempt)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (run_id, prompt_index) DO NOTHING RETURNING 1`,
    [id, index, kind, line, usd, tokens, costKnown, Date.now(), attempt],
  );
  if (stored.length === 0) await saveDiscardedCost(queue, id, { usd, tokens, costKnown, attempt });
}

/** Counts the cost of an attempt that has no result of its own. */
export async function saveDiscardedCost(queue: JobQueue, id: string, cost: PaidCost): Promise<void> {
  const { usd, tokens, costKnown, attempt = randomUUID() } = cost;
  // The result may be that of this attempt, if the answer of the database was lost.
  await queue.sql(
    `INSERT INTO hermes_batch.retried (run_id, usd, tokens, cost_known, attempt)
     SELECT id, $2, $3, $4, $5 FROM hermes_batch.runs AS runs WHERE id = $1 AND NOT EXISTS (
       SELECT FROM hermes_batch.results AS results WHERE results.run_id = runs.id AND results.attempt = $5)
     ON CONFLICT (run_id, attempt) DO NOTHING`,
    [id, usd, tokens, costKnown, attempt],
  );
}

export async function hasResult(queue: JobQueue, id: string, index: number): Promise<boolean> {
  const text = 'SELECT 1 FROM hermes_batch.results WHERE run_id = $1 AND prompt_index = $2';
  return (await queue.sql(text, [id, index])).length > 0;
}

/** Streams results in prompt order. */
export async function* readResults(queue: JobQueue, id: string): AsyncGenerator<StoredResult> {
  const PAGE = 50;
  for (let last = -1; ; ) {
    const rows = await queue.sql(
      'SELECT * FROM hermes_batch.results WHERE run_id = $1 AND prompt_index > $2 ORDER BY prompt_index LIMIT $3',
      [id, last, PAGE],
    );
    for (const row of rows) yield toResult(row);
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.['prompt_index'] as number;
  }
}

function toResult(row: SqlRows[number]): StoredResult {
  return {
    index: row['prompt_index'] as number,
    kind: row['kind'] as StoredResult['kind'],
    line: row['line'] as string,
    usd: row['usd'] as number,
    tokens: Number(row['tokens']),
    costKnown: row['cost_known'] as boolean,
  };
}

/** Includes the cost of results that were discarded for a retry. */
export async function countRun(queue: JobQueue, id: string): Promise<RunCounts & { tokens: number }> {
  const [row] = await queue.sql(
    `SELECT (SELECT count(*) FROM hermes_batch.prompts WHERE run_id = $1)::integer AS prompts,
       count(*) FILTER (WHERE kind = 'kept')::integer AS kept, count(*) FILTER (WHERE kind = 'dropped')::integer AS dropped,
       count(*) FILTER (WHERE kind = 'failed')::integer AS failed, coalesce(sum(usd), 0)::double precision AS usd,
       coalesce(sum(tokens), 0)::double precision AS tokens, coalesce(bool_and(cost_known), true) AS cost_known
     FROM (SELECT kind, usd, tokens, cost_known FROM hermes_batch.results WHERE run_id = $1
       UNION ALL SELECT NULL, usd, tokens, cost_known FROM hermes_batch.retried WHERE run_id = $1) AS paid`,
    [id],
  );
  const { cost_known: costKnown, ...counts } = row as Omit<RunCounts, 'costKnown'> & {
    tokens: number;
    cost_known: boolean;
  };
  return { ...counts, costKnown };
}

/** Converts a result to its database form, with the cost of its turn. */
export function toStoredResult(result: PromptResult, turn?: RunResult): StoredResult {
  const { index, kind } = result;
  return { index, kind, line: kind === 'kept' ? result.line : toJsonLine(result.record), ...costOf(turn) };
}

export function costOf(turn: RunResult | undefined): PaidCost {
  const { usd, status } = turn?.cost ?? NO_COST;
  const tokens = turn === undefined ? 0 : totalTokens(turn.usage);
  return { usd, tokens, costKnown: status !== 'unknown' || hasNoAnswer(turn), attempt: randomUUID() };
}

/** Whether a turn received no answer, so that nothing was charged. */
function hasNoAnswer(turn: RunResult | undefined): boolean {
  return turn === undefined || (turn.apiCalls === 0 && turn.auxiliary === undefined);
}

export function fromStoredResult({ index, kind, line }: StoredResult): PromptResult {
  if (kind === 'kept') return { kind, index, line };
  const record = parseJson(line);
  return { kind, index, record: isJsonObject(record) ? record : { prompt_index: index } };
}
