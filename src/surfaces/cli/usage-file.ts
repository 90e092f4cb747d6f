import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigurationError, exitFacts, NO_COST, NO_USAGE, type RunResult, totalTokens } from '../../base/index.ts';
import { fileErrorReason, redactSecrets, writeFileAtomic } from '../../util/index.ts';

/** What a usage file says; it has the same keys whatever happened. */
type UsageRecord = Record<string, string | number | null>;

/** What of a turn stands in the file; a call that never came to one has no session, no model and no duration. */
type Facts = Pick<RunResult, 'usage' | 'cost' | 'apiCalls' | 'toolCalls' | 'exitReason'> &
  Partial<Pick<RunResult, 'auxiliary' | 'sessionId' | 'model' | 'provider' | 'durationMs'>> & {
    exitCode: number;
    error: string | undefined;
  };

export function usageOf(result: RunResult): UsageRecord {
  return toRecord({ ...result, ...exitFacts(result.exitReason), error: result.error?.message });
}

/** The record of a call that ended before a turn began. */
export function usageOfFailure(
  error: string,
  exitCode: number,
  exitReason: 'failed' | 'interrupted' = 'failed',
): UsageRecord {
  const nothing = { usage: NO_USAGE, cost: NO_COST, apiCalls: 0, toolCalls: 0 };
  return toRecord({ ...nothing, exitReason, exitCode, error });
}

function toRecord(facts: Facts): UsageRecord {
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

/** Told before money is spent, not after. */
export async function assertUsageFileWritable(file: string | undefined, workingDirectory: string): Promise<void> {
  if (file === undefined) return;
  const path = resolve(workingDirectory, file);
  try {
    await access(dirname(path), constants.W_OK);
    // A link that leads nowhere is there as well, and is no file.
    const present = await lstat(path).catch(() => undefined);
    const reached = await stat(path).catch(() => undefined);
    if (reached?.isDirectory()) throw new Error('it is a folder');
    if (present !== undefined && !reached?.isFile()) throw new Error('it is not a regular file');
  } catch (thrown) {
    throw new ConfigurationError(`The usage file ${path} cannot be written: ${fileErrorReason(thrown)}.`, {
      hint: 'Name a file in a folder that exists and that you may write to.',
    });
  }
}

export async function writeUsageFile(file: string, workingDirectory: string, record: UsageRecord): Promise<void> {
  await writeFileAtomic(resolve(workingDirectory, file), `${JSON.stringify({ v: 1, ...record }, undefined, 2)}\n`);
}
