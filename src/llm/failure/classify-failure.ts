import type { ModelFailure } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';
import type { FailureFacts } from './failure-facts.ts';
import type { Sayings } from './failure-patterns.ts';
import { FAILURE_TABLE, type FailureRow, KIND_HINTS, type StatusPattern } from './failure-table.ts';
import { learnContextLimit, learnParameter } from './learn.ts';
import { retryAfterInWords } from './retry-after.ts';

const LONGEST_READ = 8000;
const LONGEST_MESSAGE = 2000;
const RATE_KINDS: readonly string[] = ['rate_limit', 'overloaded', 'billing'];
const SIZE_KINDS: readonly string[] = ['context_overflow', 'long_context_tier', 'payload_too_large'];

/** A stand-in such as "none" or "x", which local servers take for a key, is no secret and is part of many words. */
const SHORTEST_SECRET = 8;

/** Everything a recovery needs to know about a failed call. `secrets` were sent along and must not be repeated. */
export function classifyFailure(given: FailureFacts, secrets: readonly string[] = []): ModelFailure {
  // What matters stands at the start, and no pattern below should meet a body of many kilobytes.
  const facts = { ...given, message: given.message.slice(0, LONGEST_READ) };
  const parameter = learnParameter(facts.message, facts.parameter);
  const { kind, hints } = rowOf(facts, parameter !== undefined);
  const failure: ModelFailure = { kind, message: cleanMessage(facts, secrets), ...KIND_HINTS[kind], ...hints };
  if (facts.status !== undefined) failure.status = facts.status;
  if (facts.codes?.[0] !== undefined) failure.code = facts.codes[0];
  if (kind === 'unsupported_parameter' && parameter !== undefined) failure.parameter = parameter;
  learn(failure, facts);
  return failure;
}

/** The row that decides; whoever noticed a failure itself has the last word about its kind. */
function rowOf(facts: FailureFacts, canDrop: boolean): FailureRow {
  if (facts.kind !== undefined) return { kind: facts.kind };
  const codes = (facts.codes ?? []).map((code) => code.toLowerCase());
  const { status, parameter } = facts;
  const seen: Seen = { status, codes, message: facts.message.toLowerCase(), parameter, canDrop };
  return FAILURE_TABLE.find((row) => fits(row, seen)) ?? { kind: 'unknown' };
}

type Seen = {
  status: number | undefined;
  codes: readonly string[];
  message: string;
  parameter: string | undefined;
  canDrop: boolean;
};

/** Whether every condition of a row holds. */
function fits(row: FailureRow, seen: Seen): boolean {
  if (row.status !== undefined && !row.status.some((pattern) => statusFits(pattern, seen.status))) return false;
  if (row.needsParameter && !seen.canDrop) return false;
  if (row.parameter !== undefined && row.parameter !== seen.parameter) return false;
  if (row.also?.some((group) => !hit(group, seen.message))) return false;
  if (row.codes === undefined && row.words === undefined) return true;
  return Object.keys(row.codes ?? {}).some((code) => seen.codes.includes(code)) || hit(row.words ?? {}, seen.message);
}

function hit(words: Sayings, message: string): boolean {
  return Object.keys(words).some((word) => message.includes(word));
}

function statusFits(pattern: StatusPattern, status: number | undefined): boolean {
  if (pattern === 'none') return status === undefined;
  if (typeof pattern === 'number') return pattern === status;
  return status !== undefined && String(status)[0] === pattern[0];
}

/** What the provider says in passing: when to come back, and how much would have fitted. */
function learn(failure: ModelFailure, facts: FailureFacts): void {
  if (RATE_KINDS.includes(failure.kind) || facts.retryAfterMs !== undefined) {
    const retryAfterMs = facts.retryAfterMs ?? retryAfterInWords(facts.message);
    if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  }
  if (SIZE_KINDS.includes(failure.kind)) {
    const contextLimit = facts.contextLimit ?? learnContextLimit(facts.message);
    if (contextLimit !== undefined) failure.contextLimit = contextLimit;
  }
}

/** Some providers repeat the key in their complaint about it; none of it may reach a log or a screen. */
function cleanMessage(facts: FailureFacts, secrets: readonly string[]): string {
  let text = facts.message.trim() || 'The provider gave no reason.';
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) text = text.replaceAll(secret, '[redacted]');
  }
  const clean = redactSecrets(text);
  return clean.length > LONGEST_MESSAGE ? `${clean.slice(0, LONGEST_MESSAGE)} …` : clean;
}
