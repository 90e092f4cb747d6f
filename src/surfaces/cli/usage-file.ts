import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type CacheMiss,
  ConfigurationError,
  exitFacts,
  type JsonObject,
  type JsonValue,
  NO_COST,
  NO_USAGE,
  type RunResult,
  totalTokens,
} from '../../base/index.ts';
import { fileErrorReason, redactSecrets, writeFileAtomic } from '../../util/index.ts';

/** The content of a usage file; it always has the same keys. */
type UsageRecord = JsonObject;

/** The part of a result that is written; an invocation without a turn has no session, model or duration. */
type UsageFacts = Pick<RunResult, 'usage' | 'cost' | 'cacheMisses' | 'apiCalls' | 'toolCalls' | 'exitReason'> &
  Partial<Pick<RunResult, 'auxiliary' | 'sessionId' | 'model' | 'provider' | 'durationMs'>> & {
    exitCode: number;
    error: string | undefined;
  };

export function usageOf(result: RunResult): UsageRecord {
  return toRecord({ ...result, ...exitFacts(result.exitReason), error: result.error?.message });
}

/** The usage record of an invocation that ended before a turn. */
export function usageOfFailure(
  error: string,
  exitCode: number,
  exitReason: 'failed' | 'interrupted' = 'failed',
): UsageRecord {
  const nothing = { usage: NO_USAGE, cost: NO_COST, cacheMisses: [], apiCalls: 0, toolCalls: 0 };
  return toRecord({ ...nothing, exitReason, exitCode, error });
}

function toRecord(facts: UsageFacts): UsageRecord {
  const { usage, cost, auxiliary, error } = facts;
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    total_tokens: totalTokens(usage),
    estimated_cost_usd: cost.usd,
    cost_status: cost.status,
    auxiliary_calls: auxiliary?.calls ?? 0,
    auxiliary_tokens: totalTokens(auxiliary?.usage ?? NO_USAGE),
    auxiliary_cost_usd: auxiliary?.cost.usd ?? 0,
    cache_misses: facts.cacheMisses.map(toJson),
    api_calls: facts.apiCalls,
    tool_calls: facts.toolCalls,
    session_id: facts.sessionId ?? null,
    model: facts.model ?? null,
    provider: facts.provider ?? null,
    exit_reason: facts.exitReason,
    exit_code: facts.exitCode,
    duration_ms: facts.durationMs ?? null,
    error: error === undefined ? null : redactSecrets(error),
  };
}

/** The fields of a cache miss have the same names in JSON. */
function toJson(miss: CacheMiss): JsonValue {
  return { ...miss };
}

/** Throws if the file cannot be written, before the first request is made. */
export async function assertUsageFileWritable(file: string | undefined, workingDirectory: string): Promise<void> {
  if (file === undefined) return;
  const path = resolve(workingDirectory, file);
  try {
    await access(dirname(path), constants.W_OK);
    // A dangling symbolic link exists but is not a file.
    const present = await lstat(path).catch(() => undefined);
    const reached = await stat(path).catch(() => undefined);
    if (reached?.isDirectory()) throw new Error('it is a directory');
    if (present !== undefined && !reached?.isFile()) throw new Error('it is not a regular file');
  } catch (thrown) {
    throw new ConfigurationError(`Cannot write the usage file ${path}: ${fileErrorReason(thrown)}.`, {
      hint: 'Choose a file in an existing directory that you can write to.',
    });
  }
}

export async function writeUsageFile(file: string, workingDirectory: string, record: UsageRecord): Promise<void> {
  await writeFileAtomic(resolve(workingDirectory, file), `${JSON.stringify({ v: 1, ...record }, undefined, 2)}\n`);
}
