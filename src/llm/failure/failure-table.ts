import type { ModelErrorKind, ModelFailure } from '../../base/index.ts';
import * as words from './failure-patterns.ts';
import * as network from './network-patterns.ts';

export type FailureHints = Pick<ModelFailure, 'retryable' | 'compress' | 'rotateCredential' | 'fallBack'>;

/** 400 means exactly that; `4xx` any of them; `none` a failure without a status. */
export type StatusPattern = number | '3xx' | '4xx' | '5xx' | 'none';

/** One row: every condition that is there must hold; of `codes` and `words` one hit is enough. */
export type FailureRow = {
  kind: ModelErrorKind;
  status?: readonly StatusPattern[];
  codes?: readonly string[];
  words?: readonly string[];
  /** Every one of these groups must be hit as well. */
  also?: readonly (readonly string[])[];
  /** The provider must have named a parameter that can be left out. */
  needsParameter?: boolean;
  /** The parameter the provider points at. */
  parameter?: string;
  hints?: Partial<FailureHints>;
};

// The same request would fail the same way; what has to change depends on the kind.
const CHANGE_NEEDED: FailureHints = { retryable: false, compress: false, rotateCredential: false, fallBack: true };
// Another provider would get the same oversized request.
const SMALLER: FailureHints = { retryable: false, compress: true, rotateCredential: false, fallBack: false };
// Nothing is wrong with the request.
const AGAIN: FailureHints = { retryable: true, compress: false, rotateCredential: false, fallBack: true };
// Something is wrong with the credential or its account.
const OTHER_KEY: FailureHints = { retryable: false, compress: false, rotateCredential: true, fallBack: true };

/** What can help, by kind; a row may know better. */
export const KIND_HINTS: Record<ModelErrorKind, FailureHints> = {
  context_overflow: SMALLER,
  payload_too_large: SMALLER,
  long_context_tier: SMALLER,
  rate_limit: { ...AGAIN, rotateCredential: true },
  overloaded: AGAIN,
  server_error: AGAIN,
  timeout: AGAIN,
  connection: AGAIN,
  stream_stall: AGAIN,
  auth: OTHER_KEY,
  auth_permanent: OTHER_KEY,
  billing: OTHER_KEY,
  model_not_found: CHANGE_NEEDED,
  thinking_signature: CHANGE_NEEDED,
  invalid_encrypted_content: CHANGE_NEEDED,
  unsupported_parameter: CHANGE_NEEDED,
  encoding: CHANGE_NEEDED,
  stream_refused: CHANGE_NEEDED,
  content_policy: CHANGE_NEEDED,
  format_error: CHANGE_NEEDED,
  invalid_response: AGAIN,
  unknown: AGAIN,
};

/** Statuses that say "your request is wrong", or that gateways put around such an answer. */
const REQUEST: readonly StatusPattern[] = [400, 404, 405, 422, 500, 501, 502, 'none'];

/** Read from the top; the first row that fits decides. */
export const FAILURE_TABLE: readonly FailureRow[] = [
  // Policy comes first: such refusals arrive under any status, and must never be sent again.
  { kind: 'content_policy', codes: words.POLICY_CODES, words: words.POLICY_WORDS },
  {
    kind: 'thinking_signature',
    status: [400, 'none'],
    words: ['signature', 'cannot be modified'],
    also: [['thinking']],
  },
  {
    kind: 'long_context_tier',
    status: [400, 403, 429],
    words: ['long context'],
    also: [['extra usage', 'beta', 'tier']],
  },
  { kind: 'stream_refused', status: REQUEST, words: words.STREAM_WORDS },
  { kind: 'stream_refused', status: REQUEST, parameter: 'stream', words: words.PARAMETER_WORDS },
  // Before the overflow rows, because `max_tokens` and its like are named in both kinds of message.
  {
    kind: 'unsupported_parameter',
    status: REQUEST,
    codes: ['unsupported_parameter', 'unknown_parameter', 'unsupported_value'],
    words: words.PARAMETER_WORDS,
    needsParameter: true,
  },
  {
    kind: 'invalid_encrypted_content',
    status: [400, 404, 'none'],
    codes: ['invalid_encrypted_content'],
    words: words.ENCRYPTED_WORDS,
  },
  // A key that is gone for good is said with the same statuses as one that only needs a new token.
  {
    kind: 'auth_permanent',
    status: [400, 401, 403, 'none'],
    words: words.AUTH_PERMANENT_WORDS,
    codes: ['account_deactivated'],
  },
  { kind: 'auth', status: [401] },
  // "You have used up your share, try again in two hours" is a rate limit, whatever the status says.
  { kind: 'rate_limit', status: [402], words: words.USAGE_LIMIT_WORDS, also: [words.TRANSIENT_WORDS] },
  { kind: 'billing', status: [402] },
  { kind: 'billing', status: [400, 403, 404, 429, 'none'], codes: words.BILLING_CODES, words: words.BILLING_WORDS },
  {
    kind: 'model_not_found',
    status: [400, 403, 404, 422, 'none'],
    codes: ['model_not_found'],
    words: words.MODEL_WORDS,
  },
  {
    kind: 'model_not_found',
    status: [400, 403, 404],
    words: ['does not exist', 'not found', 'do not have access'],
    also: [['model']],
  },
  { kind: 'auth', status: [403] },
  { kind: 'timeout', status: [408, 504, 522, 524] },
  { kind: 'payload_too_large', status: [413] },
  { kind: 'overloaded', status: [429], codes: ['overloaded_error'], words: words.OVERLOADED_WORDS },
  // More than the limit of a minute in one request: no waiting makes it fit.
  { kind: 'payload_too_large', status: [429], words: ['request too large', 'tokens must be reduced'] },
  // The provider behind a router is busy: another key for the router changes nothing.
  { kind: 'rate_limit', status: [429], words: ['provider returned error'], hints: { rotateCredential: false } },
  { kind: 'rate_limit', status: [429] },
  { kind: 'overloaded', status: [503, 529] },
  // A wrong path and a router that has lost its backend look the same.
  { kind: 'unknown', status: [404] },
  { kind: 'encoding', status: [400, 422, 'none'], words: words.ENCODING_WORDS },
  { kind: 'invalid_response', status: [400], words: words.EMPTY_RESPONSE_WORDS },
  {
    kind: 'payload_too_large',
    status: [400, 500, 502, 'none'],
    codes: ['request_too_large'],
    words: words.PAYLOAD_WORDS,
  },
  {
    kind: 'rate_limit',
    status: [400, 'none'],
    codes: ['rate_limit_error', 'rate_limit_exceeded', 'usage_limit_reached'],
  },
  {
    kind: 'context_overflow',
    status: [400, 422, 500, 502, 'none'],
    codes: words.OVERFLOW_CODES,
    words: words.OVERFLOW_WORDS,
  },
  { kind: 'rate_limit', status: [400, 'none'], words: words.RATE_WORDS },
  { kind: 'connection', status: ['none'], codes: network.PROXY_CODES, hints: { retryable: false } },
  { kind: 'connection', status: ['none'], codes: network.CERTIFICATE_CODES, hints: { retryable: false } },
  { kind: 'connection', status: ['none'], codes: network.CONNECTION_CODES },
  { kind: 'timeout', status: ['none'], codes: ['etimedout', 'timeout_error'], words: network.TIMEOUT_WORDS },
  {
    kind: 'overloaded',
    status: ['none'],
    codes: ['overloaded_error', 'server_is_overloaded', 'slow_down'],
    words: words.OVERLOADED_WORDS,
  },
  {
    kind: 'auth',
    status: ['none'],
    codes: ['authentication_error', 'permission_error', 'invalid_api_key'],
    words: words.AUTH_WORDS,
  },
  { kind: 'model_not_found', status: ['none'], codes: ['not_found_error'] },
  { kind: 'format_error', status: ['none', 500, 502], codes: ['invalid_request_error'] },
  {
    kind: 'server_error',
    status: ['none'],
    codes: ['api_error', 'server_error', 'internal_error', 'internal_server_error'],
  },
  { kind: 'connection', status: ['none'], words: network.CONNECTION_WORDS },
  // What no row above knew: the status alone decides.
  { kind: 'format_error', status: ['3xx', '4xx'] },
  { kind: 'server_error', status: ['5xx'] },
  { kind: 'unknown' },
];
