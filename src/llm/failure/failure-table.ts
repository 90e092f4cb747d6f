import type { ModelErrorKind } from '../../base/index.ts';
import * as account from './account-patterns.ts';
import * as attachment from './failure-patterns.ts';
import * as words from './failure-patterns.ts';
import type { KnownMessages } from './failure-patterns.ts';
import type { FailureHints } from './kind-hints.ts';
import * as network from './network-patterns.ts';

/** `4xx` matches any status from 400 to 499; `none` matches a failure without a status. */
export type StatusPattern = number | '3xx' | '4xx' | '5xx' | 'none';

/** One row. All given conditions must be met; of `codes` and `words` one match is enough. */
export type FailureRow = {
  kind: ModelErrorKind;
  status?: readonly StatusPattern[];
  codes?: KnownMessages;
  words?: KnownMessages;
  /** Groups of which each must match as well. */
  also?: readonly KnownMessages[];
  /** The provider must have named a parameter that can be dropped. */
  needsParameter?: boolean;
  /** The parameter that the provider named. */
  parameter?: string;
  hints?: Partial<FailureHints>;
};

/** Statuses for an invalid request, including those that gateways use instead. */
const REQUEST: readonly StatusPattern[] = [400, 404, 405, 422, 500, 501, 502, 'none'];

/** `REQUEST`, plus the statuses for the size and the media type of a body. */
const ATTACHMENT: readonly StatusPattern[] = [...REQUEST, 413, 415];

/** The first matching row decides. */
export const FAILURE_TABLE: readonly FailureRow[] = [
  // Policy comes first: such refusals have any status and must never be retried.
  { kind: 'content_policy', codes: account.POLICY_CODES, words: account.POLICY_WORDS },
  // An HTML page instead of an API response: a wrong URL, or a proxy or sign-in page in front of the right one.
  { kind: 'format_error', status: [403, 404, 405], codes: { web_page: 'own' } },
  {
    kind: 'thinking_signature',
    status: [400, 'none'],
    words: { signature: 'Anthropic', 'cannot be modified': 'Anthropic' },
    also: [{ thinking: 'Anthropic' }],
  },
  {
    kind: 'long_context_tier',
    status: [400, 403, 429],
    words: { 'long context': 'Anthropic' },
    also: [{ 'extra usage': 'Anthropic', beta: 'Anthropic', tier: 'Anthropic' }],
  },
  // Before all rows about models and parameters, because these messages use the same words.
  { kind: 'attachment_unsupported', status: ATTACHMENT, words: attachment.UNSUPPORTED_WORDS },
  { kind: 'attachment_refused', status: ATTACHMENT, codes: attachment.REFUSED_CODES, words: attachment.REFUSED_WORDS },
  { kind: 'stream_refused', status: REQUEST, words: words.STREAM_WORDS },
  { kind: 'stream_refused', status: REQUEST, parameter: 'stream', words: words.PARAMETER_WORDS },
  // Before the overflow rows, because both kinds of messages mention `max_tokens` and similar names.
  {
    kind: 'unsupported_parameter',
    status: REQUEST,
    codes: words.PARAMETER_CODES,
    words: words.PARAMETER_WORDS,
    needsParameter: true,
  },
  {
    kind: 'invalid_encrypted_content',
    status: [400, 404, 'none'],
    codes: { invalid_encrypted_content: 'OpenAI' },
    words: words.ENCRYPTED_WORDS,
  },
  // A revoked key has the same status as one that only needs a new token.
  {
    kind: 'auth_permanent',
    status: [400, 401, 403, 'none'],
    words: account.AUTH_PERMANENT_WORDS,
    codes: { account_deactivated: 'OpenAI' },
  },
  { kind: 'auth', status: [401] },
  { kind: 'auth', status: [400], codes: { api_key_invalid: 'Gemini' }, words: account.BAD_KEY_WORDS },
  // An exhausted quota that resets by itself is a rate limit, whatever the status is.
  { kind: 'rate_limit', status: [402], words: account.USAGE_LIMIT_WORDS, also: [account.TRANSIENT_WORDS] },
  { kind: 'billing', status: [402] },
  // This provider says "quota" for every limit, including those per minute.
  { kind: 'rate_limit', status: [429], codes: { resource_exhausted: 'Gemini' } },
  { kind: 'billing', status: [400, 403, 404, 429, 'none'], codes: account.BILLING_CODES, words: account.BILLING_WORDS },
  { kind: 'model_not_found', status: [400, 403, 404, 422, 'none'], codes: words.MODEL_CODES, words: words.MODEL_WORDS },
  {
    kind: 'model_not_found',
    status: [400, 403, 404],
    codes: { not_found_error: 'Anthropic' },
    words: { 'does not exist': 'several', 'not found': 'several', 'do not have access': 'OpenAI' },
    also: [{ model: 'several' }],
  },
  { kind: 'auth', status: [403] },
  { kind: 'timeout', status: [408, 504, 522, 524] },
  // A lock or an early request; the clients of OpenAI and Anthropic repeat these as well.
  { kind: 'overloaded', status: [409, 425] },
  { kind: 'payload_too_large', status: [413] },
  { kind: 'overloaded', status: [429], codes: account.OVERLOADED_CODES, words: account.OVERLOADED_WORDS },
  { kind: 'payload_too_large', status: [429], words: words.TOO_LARGE_FOR_A_MINUTE },
  // The provider behind the router is overloaded, so another key of the router does not help.
  {
    kind: 'rate_limit',
    status: [429],
    words: { 'provider returned error': 'OpenRouter' },
    hints: { rotateCredential: false },
  },
  { kind: 'rate_limit', status: [429] },
  { kind: 'overloaded', status: [503, 529] },
  // The kind is unknown, because a wrong path and a router without its backend both return 404.
  { kind: 'unknown', status: [404] },
  { kind: 'encoding', status: [400, 422, 'none'], words: words.ENCODING_WORDS },
  { kind: 'invalid_response', status: [400], words: words.EMPTY_RESPONSE_WORDS },
  {
    kind: 'payload_too_large',
    status: [400, 500, 502, 'none'],
    codes: { request_too_large: 'Anthropic' },
    words: words.PAYLOAD_WORDS,
  },
  { kind: 'rate_limit', status: [400, 'none'], codes: account.RATE_CODES },
  {
    kind: 'context_overflow',
    status: [400, 422, 500, 502, 'none'],
    codes: words.OVERFLOW_CODES,
    words: words.OVERFLOW_WORDS,
  },
  { kind: 'context_overflow', status: [400, 422, 'none'], words: words.SIZE_WORDS, also: [words.EXCESS_WORDS] },
  { kind: 'rate_limit', status: [400, 'none'], words: account.RATE_WORDS },
  { kind: 'format_error', status: REQUEST, words: words.HISTORY_WORDS },
  { kind: 'server_error', status: [500, 'none'], words: words.OUT_OF_MEMORY_WORDS, hints: { retryable: false } },
  { kind: 'connection', status: ['none'], codes: network.PROXY_CODES, hints: { retryable: false } },
  {
    kind: 'connection',
    status: ['none'],
    codes: network.CERTIFICATE_CODES,
    words: network.CERTIFICATE_WORDS,
    hints: { retryable: false },
  },
  { kind: 'connection', status: ['none'], codes: network.CONNECTION_CODES },
  { kind: 'timeout', status: ['none'], codes: network.TIMEOUT_CODES, words: network.TIMEOUT_WORDS },
  { kind: 'overloaded', status: ['none'], codes: account.OVERLOADED_CODES, words: account.OVERLOADED_WORDS },
  { kind: 'auth', status: ['none'], codes: account.AUTH_CODES, words: account.AUTH_WORDS },
  { kind: 'model_not_found', status: ['none'], codes: { not_found_error: 'Anthropic' } },
  { kind: 'format_error', status: ['none', 500, 502], codes: { invalid_request_error: 'OpenAI, Anthropic' } },
  {
    kind: 'server_error',
    status: ['none'],
    codes: {
      api_error: 'Anthropic',
      server_error: 'OpenAI',
      internal_error: 'several',
      internal_server_error: 'several',
    },
    words: words.MODEL_CRASH_WORDS,
  },
  { kind: 'connection', status: ['none'], words: network.CONNECTION_WORDS },
  // No row above matched, so the status alone decides.
  { kind: 'format_error', status: ['3xx', '4xx'] },
  { kind: 'server_error', status: ['5xx'] },
  { kind: 'unknown' },
];
