import type { ModelFailure } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';
import type { FailureFacts } from './error-body.ts';
import type { KnownMessages } from './failure-patterns.ts';
import { FAILURE_TABLE, type FailureRow, type StatusPattern } from './failure-table.ts';
import { KIND_HINTS } from './kind-hints.ts';
import { parseOutputRefusal } from './output-refusal.ts';
import { parseRetryAfter } from './retry-after.ts';

const MAX_READ_LENGTH = 8000;
const MAX_MESSAGE_LENGTH = 2000;
const RATE_KINDS: readonly string[] = ['rate_limit', 'overloaded', 'billing'];
const SIZE_KINDS: readonly string[] = ['context_overflow', 'long_context_tier', 'payload_too_large'];

/**
 * The minimum length of a secret to redact. Dummy keys for local servers, such as "none" or "x", are not secret and
 * occur in many words.
 */
const MIN_SECRET_LENGTH = 8;

/** Classifies a failed call for the recoveries. `secrets` are redacted from the message. */
export function classifyFailure(given: FailureFacts, secrets: readonly string[] = []): ModelFailure {
  // The relevant part is at the start, and the patterns below should not run over many kilobytes.
  const facts = { ...given, message: given.message.slice(0, MAX_READ_LENGTH) };
  const parameter = parseParameter(facts.message, facts.parameter);
  const { kind, hints } = rowOf(facts, parameter !== undefined);
  const failure: ModelFailure = { kind, message: cleanMessage(facts, secrets), ...KIND_HINTS[kind], ...hints };
  if (facts.status !== undefined) failure.status = facts.status;
  if (facts.codes?.[0] !== undefined) failure.code = facts.codes[0];
  if (kind === 'unsupported_parameter' && parameter !== undefined) failure.parameter = parameter;
  addDetails(failure, facts);
  return failure;
}

/** The first matching row. A kind set by the code that detected the failure takes precedence. */
function rowOf(facts: FailureFacts, canDrop: boolean): FailureRow {
  if (facts.kind !== undefined) return { kind: facts.kind };
  const codes = (facts.codes ?? []).map((code) => code.toLowerCase());
  const { status, parameter } = facts;
  const seen: FailureEvidence = { status, codes, message: facts.message.toLowerCase(), parameter, canDrop };
  return FAILURE_TABLE.find((row) => rowMatches(row, seen)) ?? { kind: 'unknown' };
}

type FailureEvidence = {
  status: number | undefined;
  codes: readonly string[];
  message: string;
  parameter: string | undefined;
  canDrop: boolean;
};

/** Whether all conditions of a row are met. */
function rowMatches(row: FailureRow, seen: FailureEvidence): boolean {
  if (row.status !== undefined && !row.status.some((pattern) => statusMatches(pattern, seen.status))) return false;
  if (row.needsParameter && !seen.canDrop) return false;
  if (row.parameter !== undefined && row.parameter !== seen.parameter) return false;
  if (row.also?.some((group) => !containsAny(group, seen.message))) return false;
  if (row.codes === undefined && row.words === undefined) return true;
  return (
    Object.keys(row.codes ?? {}).some((code) => seen.codes.includes(code)) || containsAny(row.words ?? {}, seen.message)
  );
}

function containsAny(words: KnownMessages, message: string): boolean {
  return Object.keys(words).some((word) => message.includes(word));
}

function statusMatches(pattern: StatusPattern, status: number | undefined): boolean {
  if (pattern === 'none') return status === undefined;
  if (typeof pattern === 'number') return pattern === status;
  return status !== undefined && String(status)[0] === pattern[0];
}

/** Adds details from the message: the retry delay, the context limit, and whether the output limit was rejected. */
function addDetails(failure: ModelFailure, facts: FailureFacts): void {
  if (RATE_KINDS.includes(failure.kind) || facts.retryAfterMs !== undefined) {
    const retryAfterMs = facts.retryAfterMs ?? parseRetryAfter(facts.message);
    if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  }
  const contextLimit = facts.contextLimit ?? parseContextLimit(facts.message);
  if (SIZE_KINDS.includes(failure.kind) && contextLimit !== undefined) failure.contextLimit = contextLimit;
  const refusal = parseOutputRefusal(failure.kind, facts, contextLimit);
  if (refusal === undefined) return;
  failure.outputRefusal = refusal;
  if (refusal.reason === 'window' && contextLimit !== undefined) failure.contextLimit = contextLimit;
}

/** Some providers repeat the key in their error message; it must not reach a log or a screen. */
function cleanMessage(facts: FailureFacts, secrets: readonly string[]): string {
  let text = facts.message.trim() || 'The provider gave no reason.';
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) text = text.replaceAll(secret, '[redacted]');
  }
  const clean = redactSecrets(text);
  return clean.length > MAX_MESSAGE_LENGTH ? `${clean.slice(0, MAX_MESSAGE_LENGTH)} …` : clean;
}

// The most reliable pattern comes first, because a message may contain several numbers.
const LIMIT_PATTERNS: readonly RegExp[] = [
  /[\d,]+ ?\+ ?[\d,]+ > ([\d,]+)/,
  /maximum (?:context|model) length (?:is|of|=)?:? ?([\d,]+)/i,
  /context (?:length|window|size|limit)(?: of| is|:)? ?(?:only |at most )?\(?([\d,]+)/i,
  /available context size \(([\d,]+)/i,
  /tokens? > ?([\d,]+)/i,
  /maximum number of (?:input )?tokens allowed(?: is)? \(?([\d,]+)/i,
  /max_model_len[^\d]{0,12}([\d,]+)/i,
  /maximum (?:of |prompt length is |input length is |allowed input length is )([\d,]+)/i,
  /token limit(?: of| is|:) ([\d,]+)/i,
  /range of input length should be \[\d+, ?([\d,]+)/i,
  /exceeds the limit of ([\d,]+)/i,
];

/** The context window stated in an overflow message, if any. */
function parseContextLimit(message: string): number | undefined {
  for (const pattern of LIMIT_PATTERNS) {
    const found = Number(pattern.exec(message)?.[1]?.replaceAll(',', ''));
    // Numbers outside this range are something else, such as the index of a message.
    if (found >= 512 && found <= 100_000_000) return found;
  }
  return undefined;
}

// The name of a parameter, in any quotes or none.
const NAME = '[\'"`]?([a-z_][\\w.\\[\\]]*)[\'"`]?';
const NAME_PATTERNS: readonly RegExp[] = [
  new RegExp(`(?:unsupported|unknown) (?:parameter|value)s?:? ?\\(?${NAME}`, 'i'),
  new RegExp(`unrecognized request arguments?(?: supplied)?:? ?${NAME}`, 'i'),
  new RegExp(`${NAME}: extra inputs are not permitted`, 'i'),
  new RegExp(`${NAME}:? [\\d,]+ > [\\d,]+, which is the maximum allowed number of output tokens`, 'i'),
  new RegExp(`(max_\\w*tokens)['"\`]? is too large`, 'i'),
  new RegExp(`parameter ${NAME} is not supported`, 'i'),
  new RegExp(`does not support parameter ${NAME}`, 'i'),
  /parameter\.(\w+) must be set to false/i,
  /invalid (reasoning_effort)/i,
  new RegExp(`['"\`]([a-z_]\\w*)['"\`] is (?:not supported|deprecated)`, 'i'),
  new RegExp(`([a-z]+_\\w+|temperature|seed|stop) is (?:not supported|deprecated) (?:with|by|for) this model`, 'i'),
];

/** Parameters that a request cannot do without, so an error about them is not fixed by dropping them. */
const ESSENTIAL = new Set(['model', 'messages', 'input', 'instructions', 'system', 'tools', 'stream']);

/** The parameter that the provider rejects, and the name that it wants instead. */
function parseParameter(message: string, pointedAt: string | undefined): ModelFailure['parameter'] {
  const found = pointedAt ?? firstMatch(message);
  // A provider may name a nested field such as `reasoning.effort`; only top-level parameters can be dropped.
  const name = toSnakeCase(found?.split(/[.[]/)[0]);
  if (!name || ESSENTIAL.has(name)) return undefined;
  const replacement = /use ['"`](\w+)['"`] instead/i.exec(message)?.[1];
  return replacement === undefined ? { name } : { name, replacement };
}

/** Some providers name parameters in camel case. */
function toSnakeCase(name: string | undefined): string | undefined {
  return name?.replaceAll(/([a-z])([A-Z])/g, (_, small: string, large: string) => `${small}_${large.toLowerCase()}`);
}

function firstMatch(message: string): string | undefined {
  for (const pattern of NAME_PATTERNS) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return name;
  }
  // Ollama names the missing capability instead of the parameter.
  return /does not support thinking/i.test(message) ? 'think' : undefined;
}
