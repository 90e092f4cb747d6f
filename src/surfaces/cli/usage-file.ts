import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigurationError, errorMessage, exitFacts, type RunResult, totalTokens } from '../../base/index.ts';
import { writeFileAtomic } from '../../util/index.ts';

/** What a usage file says; a call that never came to a turn has an error and an exit code only. */
export type UsageRecord = Record<string, string | number | null>;

export function usageOf(result: RunResult): UsageRecord {
  const { usage, cost } = result;
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    total_tokens: totalTokens(usage),
    estimated_cost_usd: cost.usd,
    cost_status: cost.status,
    api_calls: result.apiCalls,
    tool_calls: result.toolCalls,
    session_id: result.sessionId,
    model: result.model,
    provider: result.provider,
    exit_reason: result.exitReason,
    exit_code: exitFacts(result.exitReason).exitCode,
    duration_ms: result.durationMs,
    error: result.error?.message ?? null,
  };
}

/** The record of a call that ended before a turn began. */
export function usageOfFailure(message: string, exitCode: number): UsageRecord {
  const nothing = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  const rest = {
    reasoning_tokens: 0,
    total_tokens: 0,
    estimated_cost_usd: 0,
    cost_status: 'unknown',
    api_calls: 0,
    tool_calls: 0,
  };
  return { ...nothing, ...rest, exit_reason: 'failed', exit_code: exitCode, error: message };
}

/** Told before money is spent, not after. */
export async function assertUsageFileWritable(file: string | undefined, workingDirectory: string): Promise<void> {
  if (file === undefined) return;
  const path = resolve(workingDirectory, file);
  try {
    await access(dirname(path), constants.W_OK);
    const present = await stat(path).catch(() => undefined);
    if (present?.isDirectory()) throw new Error('it is a folder');
  } catch (thrown) {
    throw new ConfigurationError(`The usage file ${path} cannot be written: ${errorMessage(thrown)}.`, {
      hint: 'Name a file in a folder that exists and that you may write to.',
    });
  }
}

export async function writeUsageFile(file: string, workingDirectory: string, record: UsageRecord): Promise<void> {
  await writeFileAtomic(resolve(workingDirectory, file), `${JSON.stringify({ v: 1, ...record }, undefined, 2)}\n`);
}
