import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { MODEL_ERROR_KINDS, type ModelErrorKind, type ModelFailure } from '../../base/index.ts';
import { classifyFailure } from './classify-failure.ts';
import { factsOfErrorText, factsOfStreamError, type FailureFacts } from './error-body.ts';
import { KIND_HINTS } from './kind-hints.ts';
import { factsOfNetworkError } from './failure-advice.ts';
import { parseRetryAfter, retryAfterOf } from './retry-after.ts';

const openai = (message: string, extra: object = {}) => JSON.stringify({ error: { message, ...extra } });
const anthropic = (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message } });

type Case = [kind: ModelErrorKind, status: number | undefined, body: string];

/** Error messages of real providers in their original form. */
const CASES: Case[] = [
  [
    'context_overflow',
    400,
    openai("This model's maximum context length is 128000 tokens.", { code: 'context_length_exceeded' }),
  ],
  ['context_overflow', 400, anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')],
  [
    'context_overflow',
    400,
    anthropic('invalid_request_error', 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'),
  ],
  ['context_overflow', 500, openai('the request exceeds the available context size (4096 tokens)')],
  ['context_overflow', 400, openai('请求的上下文长度超出')],
  ['payload_too_large', 413, '<html><title>413 Request Entity Too Large</title></html>'],
  ['payload_too_large', undefined, anthropic('request_too_large', 'Request exceeds the maximum size')],
  ['long_context_tier', 429, anthropic('rate_limit_error', 'Extra usage is required for long context requests.')],
  [
    'long_context_tier',
    400,
    anthropic('invalid_request_error', 'The long context beta is not yet available for this subscription.'),
  ],
  ['rate_limit', 429, openai('Rate limit reached for requests', { code: 'rate_limit_exceeded' })],
  ['rate_limit', 402, openai('Usage limit reached. Try again in 2 hours.')],
  ['rate_limit', 429, openai('Provider returned error')],
  ['rate_limit', undefined, anthropic('rate_limit_error', 'Number of requests has exceeded your limit')],
  ['overloaded', 529, anthropic('overloaded_error', 'Overloaded')],
  ['overloaded', 503, 'Service Unavailable'],
  ['overloaded', 429, openai('The engine is currently overloaded, please try again later')],
  ['overloaded', undefined, anthropic('overloaded_error', 'Overloaded')],
  ['server_error', 500, openai('The server had an error while processing your request')],
  ['server_error', 502, 'Bad Gateway'],
  ['server_error', undefined, anthropic('api_error', 'Internal server error')],
  ['timeout', 408, ''],
  ['overloaded', 409, openai('The resource is locked by another request')],
  ['overloaded', 425, 'Too Early'],
  ['timeout', 504, 'Gateway Timeout'],
  ['timeout', undefined, openai('upstream timed out')],
  ['auth', 401, openai('Incorrect API key provided', { code: 'invalid_api_key' })],
  ['auth', 401, anthropic('authentication_error', 'invalid x-api-key')],
  ['auth', 403, openai('Forbidden')],
  ['auth_permanent', 401, openai('This API key has been revoked')],
  ['auth_permanent', 403, openai('This organization has been disabled.')],
  ['billing', 402, openai('Payment required')],
  ['billing', 429, openai('You exceeded your current quota, please check your plan', { code: 'insufficient_quota' })],
  ['billing', 400, anthropic('invalid_request_error', 'Your credit balance is too low to access the API')],
  ['billing', 403, openai('Your account is out of funds')],
  [
    'model_not_found',
    404,
    openai('The model `gpt-9` does not exist or you do not have access to it.', { code: 'model_not_found' }),
  ],
  ['model_not_found', 404, anthropic('not_found_error', 'model: claude-9 not found')],
  ['model_not_found', 400, openai('foo/bar is not a valid model ID')],
  [
    'thinking_signature',
    400,
    anthropic('invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block'),
  ],
  [
    'invalid_encrypted_content',
    400,
    openai('The encrypted content gAAA could not be verified.', { code: 'invalid_encrypted_content' }),
  ],
  ['payload_too_large', 429, openai('Request too large for m on tokens per min (TPM): Limit 30000, Requested 42000.')],
  [
    'invalid_encrypted_content',
    404,
    openai("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
  ],
  ['thinking_signature', 400, openai('`thinking` blocks in the latest assistant message cannot be modified')],
  [
    'unsupported_parameter',
    400,
    openai(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: 'max_tokens', code: 'unsupported_parameter' },
    ),
  ],
  [
    'unsupported_parameter',
    400,
    openai("Unsupported value: 'temperature' does not support 0.2 with this model.", {
      param: 'temperature',
      code: 'unsupported_value',
    }),
  ],
  [
    'unsupported_parameter',
    422,
    JSON.stringify({
      detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }],
    }),
  ],
  ['unsupported_parameter', 400, openai('Encrypted content is not supported with this model.', { param: 'include' })],
  [
    'unsupported_parameter',
    400,
    anthropic(
      'invalid_request_error',
      'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
    ),
  ],
  ['attachment_refused', 400, anthropic('invalid_request_error', 'Could not process image')],
  [
    'attachment_refused',
    400,
    anthropic(
      'invalid_request_error',
      'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6 bytes > 5 bytes',
    ),
  ],
  ['attachment_refused', 400, openai('You uploaded an unsupported image.', { code: 'invalid_image_format' })],
  ['attachment_unsupported', 404, openai('No endpoints found that support image input')],
  ['attachment_unsupported', 400, openai('Invalid content type. image_url is only supported by certain models.')],
  [
    'attachment_unsupported',
    500,
    openai('image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'),
  ],
  [
    'attachment_unsupported',
    400,
    openai("Invalid value: file. Supported values are: 'text','image_url','video_url' and 'video'."),
  ],
  [
    'encoding',
    400,
    anthropic('invalid_request_error', 'The request body is not valid JSON: no low surrogate in string'),
  ],
  ['stream_refused', 400, openai('Streaming is not supported for this model')],
  [
    'stream_refused',
    400,
    openai('Your organization must be verified to stream this model.', { param: 'stream', code: 'unsupported_value' }),
  ],
  ['content_policy', 400, openai('The response was filtered', { code: 'content_filter' })],
  ['content_policy', 403, openai('Your input was flagged')],
  ['format_error', 400, openai('messages: at least one message is required')],
  [
    'format_error',
    400,
    openai("Unknown parameter: 'messages[2].reasoning_content'.", { param: 'messages[2].reasoning_content' }),
  ],
  ['format_error', 418, 'teapot'],
  ['format_error', 307, ''],
  ['invalid_response', 400, openai('Provider returned an empty response')],
  ['unknown', 404, 'page not found'],
  ['unknown', undefined, openai('something odd')],
];

const kindOf = (status: number | undefined, body: string) =>
  classifyFailure({ ...factsOfErrorText(body), ...(status && { status }) });

describe('classification', () => {
  for (const [kind, status, body] of CASES) {
    verifies('CALL-4', `${status ?? 'no status'}: ${body.slice(0, 90)} → ${kind}`, () => {
      const failure = kindOf(status, body);
      expect(failure.kind).toBe(kind);
      expect(failure.status).toBe(status);
    });
  }

  verifies('CALL-4', 'knows every kind and its recoveries', () => {
    const seen = new Set<ModelErrorKind>([...CASES.map(([kind]) => kind), 'connection', 'stream_stall']);
    expect([...seen].sort()).toEqual([...MODEL_ERROR_KINDS].sort());
    expect(KIND_HINTS.rate_limit).toEqual({ retryable: true, compress: false, rotateCredential: true, fallBack: true });
    expect(KIND_HINTS.context_overflow).toMatchObject({ retryable: false, compress: true });
    expect(KIND_HINTS.billing).toMatchObject({ retryable: false, rotateCredential: true, fallBack: true });
    expect(kindOf(429, openai('Provider returned error')).rotateCredential).toBe(false);
  });

  it('keeps a kind that was set by the code that detected the failure', () => {
    expect(classifyFailure({ kind: 'stream_stall', message: 'silent' }).kind).toBe('stream_stall');
  });

  it('reads the status of a router from the code inside a stream', () => {
    const facts = factsOfStreamError({ error: { code: 429, message: 'slow down' } });
    expect(classifyFailure(facts)).toMatchObject({ kind: 'rate_limit', status: 429, code: '429' });
  });
});

describe('details from messages', () => {
  it.each([
    ["This model's maximum context length is 128000 tokens. However, you requested 130000 tokens", 128_000],
    ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length', 200_000],
    ['request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it', 4096],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ['prompt length exceeds max_model_len (32,768)', 32_768],
    ['Your input exceeds the context window of this model.', undefined],
  ])('the context limit of: %s', (message, limit) => {
    const failure = classifyFailure({ status: 400, message });
    expect(failure.kind).toBe('context_overflow');
    expect(failure.contextLimit).toBe(limit);
  });

  it('the context limit from a field', () => {
    const body = openai('request exceeds the available context size', {
      n_ctx: 8192,
      type: 'exceed_context_size_error',
    });
    expect(kindOf(400, body).contextLimit).toBe(8192);
  });

  it.each([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { name: 'max_tokens', replacement: 'max_completion_tokens' },
    ],
    ['Unrecognized request argument supplied: stream_options', { name: 'stream_options' }],
    ['Unknown parameter: `reasoning.effort`', { name: 'reasoning' }],
    ['temperature: Extra inputs are not permitted', { name: 'temperature' }],
    ['`temperature` is deprecated for this model.', { name: 'temperature' }],
    ['max_tokens is too large: 100000. This model supports at most 16384 completion tokens', { name: 'max_tokens' }],
  ])('the parameter of: %s', (message, parameter) => {
    expect(classifyFailure({ status: 400, message })).toMatchObject({ kind: 'unsupported_parameter', parameter });
  });

  it('never drops a parameter that a request requires', () => {
    const failure = classifyFailure({ status: 400, message: 'messages.1.content: Extra inputs are not permitted' });
    expect(failure.kind).toBe('format_error');
    expect(failure.parameter).toBeUndefined();
  });
});

describe('a rejected output limit', () => {
  it.each<[number | undefined, string, ModelFailure['outputRefusal']]>([
    // Anthropic
    [
      400,
      'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x',
      { reason: 'amount', accepted: 64_000 },
    ],
    [
      400,
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length',
      { reason: 'window', accepted: 11_760 },
    ],
    [400, '`max_tokens` must be greater than `thinking.budget_tokens`.', undefined],
    [400, 'Your credit balance is too low to access the Anthropic API.', undefined],
    // OpenAI
    [
      400,
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
      { reason: 'amount', accepted: 16_384 },
    ],
    [
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      undefined,
    ],
    [
      400,
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (3000 in the messages, 6000 in the completion).",
      { reason: 'window', accepted: 5_192 },
    ],
    [
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      undefined,
    ],
    // OpenRouter
    [
      402,
      'This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 2037.',
      { reason: 'credits', accepted: 2_037, requested: 65_536 },
    ],
    [
      400,
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (8000 of text input, 4000 of tool input, 128000 in the output).",
      { reason: 'window', accepted: 119_072 },
    ],
    // vLLM
    [
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 32768 tokens and your request has 1000 input tokens (64000 > 32768 - 1000).",
      { reason: 'window', accepted: 31_768 },
    ],
    // DeepSeek, Groq, Qwen
    [400, 'max_tokens must be at least 1 and at most 8192.', { reason: 'amount', accepted: 8_192 }],
    [
      400,
      'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
      { reason: 'amount', accepted: 8_192 },
    ],
    [
      400,
      '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      { reason: 'amount', accepted: 8_192 },
    ],
    [402, 'Payment required', undefined],
    [429, 'max_tokens is too large', undefined],
  ])('%s %s', (status, message, refusal) => {
    expect(classifyFailure({ status, message }).outputRefusal).toEqual(refusal);
  });

  it('by the name of the parameter alone', () => {
    const facts = { status: 400, message: 'Invalid value.', parameter: 'max_output_tokens' };
    expect(classifyFailure(facts).outputRefusal).toEqual({ reason: 'amount' });
  });
});

describe('Retry-After', () => {
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '7', 'retry-after-ms': '350' }, 350],
    [{ 'retry-after': new Date(61_000).toUTCString() }, 60_000],
    [{ 'retry-after': new Date(0).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j', (headers, expected) => {
    expect(retryAfterOf(headers as Record<string, string>, 1000)).toBe(expected);
  });

  it.each([
    ['Please try again in 1.5s.', 1500],
    ['try again in 6m12s', 372_000],
    ['Please retry after 20 seconds', 20_000],
    ['try again in 350ms', 350],
    ['try again later', undefined],
  ])('the retry delay of: %s', (message, expected) => {
    expect(parseRetryAfter(message)).toBe(expected);
  });
});

describe('network errors', () => {
  const failed = (code: string, message = code) => Object.assign(new Error(message), { code });
  const kinds: [string, ModelErrorKind, boolean][] = [
    ['ECONNREFUSED', 'connection', true],
    ['ECONNRESET', 'connection', true],
    ['ENOTFOUND', 'connection', true],
    ['ETIMEDOUT', 'timeout', true],
    ['CERT_HAS_EXPIRED', 'connection', false],
    ['HPE_INVALID_CONSTANT', 'invalid_response', true],
  ];
  it.each(kinds)('%s', (code, kind, retryable) => {
    const failure = classifyFailure(factsOfNetworkError(failed(code), 'api.example.com'));
    expect(failure).toMatchObject({ kind, retryable, code });
    expect(failure.message).toContain('api.example.com');
  });

  it('finds the code in nested causes and among several addresses', () => {
    const wrapped = new Error('outer', { cause: new AggregateError([failed('ECONNREFUSED')], '') });
    expect(classifyFailure(factsOfNetworkError(wrapped, 'h')).code).toBe('ECONNREFUSED');
  });
});

describe('errors that are not network errors', () => {
  it('rethrows programming errors instead of retrying', () => {
    expect(() => factsOfNetworkError(new TypeError('x is not a function'), 'h')).toThrow(TypeError);
  });

  it('reports an unsendable key without showing it', () => {
    const refused = Object.assign(new TypeError('Invalid character'), { code: 'ERR_INVALID_CHAR' });
    expect(classifyFailure(factsOfNetworkError(refused, 'h'))).toMatchObject({
      kind: 'auth_permanent',
      retryable: false,
    });
  });
});

describe('messages', () => {
  it('does not redact words that contain a dummy key', () => {
    expect(classifyFailure({ status: 401, message: 'The API key is not valid.' }, ['k']).message).toContain('API key');
  });

  it('never contain a credential', () => {
    const message = 'Incorrect API key provided: sk-proj-abcdefghijklmnop. Got tiny-own-secret.';
    const failure = classifyFailure({ status: 401, message }, ['tiny-own-secret']);
    expect(failure.message).not.toContain('abcdefghijklmnop');
    expect(failure.message).not.toContain('tiny-own-secret');
    expect(failure.message).toContain('Incorrect API key provided');
  });

  it.each<[string, FailureFacts['message']]>([
    ['{"error":"plain words"}', 'plain words'],
    ['{"message":"at the top"}', 'at the top'],
    ['[{"error":{"code":400,"message":"in a list","status":"INVALID_ARGUMENT"}}]', 'in a list'],
    [
      '{"error":{"message":"Provider returned error","metadata":{"raw":"too hot"}}}',
      'Provider returned error: too hot',
    ],
    ['<!doctype html><title> Just a moment </title>', 'The response is a web page titled "Just a moment".'],
    ['just text', 'just text'],
  ])('are found in %s', (body, message) => {
    expect(factsOfErrorText(body).message).toBe(message);
  });

  it('are truncated if they are very long', () => {
    expect(classifyFailure({ status: 500, message: 'x'.repeat(10_000) }).message.length).toBeLessThan(2100);
  });
});
