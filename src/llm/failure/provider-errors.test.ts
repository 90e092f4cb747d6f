import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { ModelErrorKind, ModelFailure } from '../../base/index.ts';
import { classifyFailure } from './classify-failure.ts';
import { factsOfErrorText, factsOfStreamError } from './error-body.ts';
import { adviceFor } from './failure-advice.ts';
import { resetOf } from './retry-after.ts';

/**
 * Error responses of each provider, written by hand from its public documentation and from messages that users have
 * published. Ids, keys and names are made up; no account was used.
 */
type Case = [
  provider: string,
  status: number,
  kind: ModelErrorKind,
  body: object | string,
  learnt?: Partial<ModelFailure>,
];

const error = (message: string, extra: object = {}) => ({ error: { message, ...extra } });

const CASES: Case[] = [
  // platform.openai.com/docs/guides/error-codes
  [
    'OpenAI',
    401,
    'auth',
    error('Incorrect API key provided.', { type: 'invalid_request_error', code: 'invalid_api_key' }),
  ],
  [
    'OpenAI',
    429,
    'billing',
    error('You exceeded your current quota, please check your plan and billing details.', {
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }),
  ],
  [
    'OpenAI',
    429,
    'rate_limit',
    error(
      'Rate limit reached for gpt-5.6 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    { retryAfterMs: 2000 },
  ],
  [
    'OpenAI',
    404,
    'model_not_found',
    error('The model `gpt-99` does not exist or you do not have access to it.', { code: 'model_not_found' }),
  ],
  [
    'OpenAI',
    400,
    'unsupported_parameter',
    error("Unsupported value: 'xhigh' is not supported with the 'gpt-5' model.", {
      param: 'reasoning.effort',
      code: 'unsupported_value',
    }),
    { parameter: { name: 'reasoning' } },
  ],
  [
    'OpenAI',
    503,
    'overloaded',
    error('The engine is currently overloaded, please try again later', { type: 'server_error' }),
  ],
  // docs.claude.com/en/api/errors
  [
    'Anthropic',
    400,
    'billing',
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the Anthropic API.' },
    },
  ],
  [
    'Anthropic',
    413,
    'payload_too_large',
    { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
  ],
  ['Anthropic', 529, 'overloaded', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
  [
    'Anthropic',
    404,
    'model_not_found',
    { type: 'error', error: { type: 'not_found_error', message: 'model: claude-99' } },
  ],
  [
    'Anthropic',
    400,
    'format_error',
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'messages: text content blocks must be non-empty' },
    },
  ],
  // ai.google.dev/gemini-api/docs/troubleshooting, google.rpc error details
  [
    'Gemini',
    400,
    'auth',
    [
      {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
          details: [{ reason: 'API_KEY_INVALID' }],
        },
      },
    ],
  ],
  [
    'Gemini',
    429,
    'rate_limit',
    [
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
          ],
        },
      },
    ],
    { retryAfterMs: 34_500 },
  ],
  [
    'Gemini',
    503,
    'overloaded',
    [{ error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } }],
  ],
  [
    'Gemini',
    404,
    'model_not_found',
    [
      {
        error: {
          code: 404,
          message: 'models/gemini-99 is not found for API version v1main, or is not supported for generateContent.',
          status: 'NOT_FOUND',
        },
      },
    ],
  ],
  [
    'Gemini',
    400,
    'context_overflow',
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    { contextLimit: 1_048_576 },
  ],
  [
    'Gemini',
    400,
    'unsupported_parameter',
    [
      {
        error: {
          code: 400,
          message: 'Invalid reasoning_effort: minimal. Valid values are: high, low, medium, none',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    { parameter: { name: 'reasoning_effort' } },
  ],
  // openrouter.ai/docs/api-reference/errors
  [
    'OpenRouter',
    429,
    'rate_limit',
    error('Provider returned error', {
      code: 429,
      metadata: { raw: 'google/gemini-3 is temporarily rate-limited upstream.', provider_name: 'Google' },
    }),
    { rotateCredential: false },
  ],
  [
    'OpenRouter',
    402,
    'billing',
    error('Insufficient credits. Add more using https://openrouter.ai/settings/credits', { code: 402 }),
  ],
  [
    'OpenRouter',
    403,
    'billing',
    error('Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys', { code: 403 }),
  ],
  [
    'OpenRouter',
    403,
    'content_policy',
    error(
      'openai/gpt-9 requires moderation on OpenRouter. Your input was flagged for "violence". No credits were charged.',
      { code: 403, metadata: { reasons: ['violence'], flagged_input: 'x', provider_name: 'OpenAI' } },
    ),
  ],
  ['OpenRouter', 404, 'model_not_found', error('No endpoints found that support tool use.', { code: 404 })],
  [
    'OpenRouter',
    404,
    'content_policy',
    error('No endpoints found matching your data policy (Free model publication).', { code: 404 }),
  ],
  [
    'OpenRouter',
    502,
    'server_error',
    error('Provider returned error', { code: 502, metadata: { raw: 'upstream fault' } }),
  ],
  // api-docs.deepseek.com/quick_start/error_codes
  [
    'DeepSeek',
    402,
    'billing',
    error('Insufficient Balance', { type: 'unknown_error', param: null, code: 'invalid_request_error' }),
  ],
  [
    'DeepSeek',
    401,
    'auth',
    error('Authentication Fails, Your api key: ****abcd is invalid', { type: 'authentication_error' }),
  ],
  [
    'DeepSeek',
    400,
    'format_error',
    error('The `reasoning_content` in the thinking mode must be passed back to the API.', {
      type: 'invalid_request_error',
    }),
  ],
  [
    'DeepSeek',
    400,
    'context_overflow',
    error("This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.", {
      type: 'invalid_request_error',
    }),
    { contextLimit: 131_072 },
  ],
  // docs.z.ai/api-reference/api-code
  ['Z.AI', 429, 'billing', error('Insufficient balance or no resource package. Please recharge.', { code: '1113' })],
  [
    'Z.AI',
    429,
    'rate_limit',
    error('Usage limit reached for 5 hour. Your limit will reset at 2026-11-15 12:00:00', { code: '1308' }),
  ],
  [
    'Z.AI',
    429,
    'overloaded',
    error('The service may be temporarily overloaded, please try again later', { code: '1305' }),
  ],
  ['Z.AI', 400, 'model_not_found', error('Unknown Model, please check the model code.', { code: '1211' })],
  ['Z.AI', 400, 'context_overflow', error('Prompt exceeds max length', { code: '1261' })],
  [
    'Z.AI',
    400,
    'content_policy',
    error('System detected potentially unsafe or sensitive content in input or generation.', { code: '1301' }),
  ],
  ['Z.AI', 401, 'auth', error('token expired or incorrect', { code: '401' })],
  // platform.moonshot.ai/docs/api/chat (error codes)
  [
    'Kimi',
    429,
    'billing',
    error('Your account org-x <ak-y> is suspended due to insufficient balance, please recharge your account', {
      type: 'exceeded_current_quota_error',
    }),
  ],
  [
    'Kimi',
    429,
    'overloaded',
    error('The engine is currently overloaded, please try again later', { type: 'engine_overloaded_error' }),
  ],
  [
    'Kimi',
    400,
    'context_overflow',
    error('Invalid request: Your request exceeded model token limit: 262144', { type: 'invalid_request_error' }),
    { contextLimit: 262_144 },
  ],
  [
    'Kimi',
    400,
    'content_policy',
    error('The request was rejected because it was considered high risk', { type: 'content_filter' }),
  ],
  [
    'Kimi',
    404,
    'model_not_found',
    error('Not found the model kimi-99 or Permission denied', { type: 'resource_not_found_error' }),
  ],
  // platform.minimax.io/docs/api-reference/errorcode
  ['MiniMax', 200, 'billing', { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }],
  [
    'MiniMax',
    200,
    'auth',
    {
      base_resp: {
        status_code: 1004,
        status_msg: 'login fail: Please carry the API secret key in the Authorization field',
      },
    },
  ],
  ['MiniMax', 200, 'rate_limit', { base_resp: { status_code: 1002, status_msg: 'rate limit' } }],
  ['MiniMax', 200, 'content_policy', { base_resp: { status_code: 1026, status_msg: 'input new_sensitive' } }],
  [
    'MiniMax',
    400,
    'context_overflow',
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'invalid params, context window exceeds limit (2013)' },
    },
  ],
  // docs.x.ai/docs/key-information/debugging
  [
    'xAI',
    400,
    'auth',
    {
      code: 'Client specified an invalid argument',
      error: 'Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai.',
    },
  ],
  [
    'xAI',
    403,
    'billing',
    {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Your team has either used all available credits or reached its monthly spending limit.',
    },
  ],
  ['xAI', 403, 'billing', { code: 'personal-team-blocked:spending-limit', error: 'Blocked.' }],
  [
    'xAI',
    404,
    'model_not_found',
    {
      code: 'Some requested entity was not found',
      error: 'The model grok-99 does not exist or your team does not have access to it.',
    },
  ],
  [
    'xAI',
    400,
    'unsupported_parameter',
    { code: 'invalid-argument', error: 'Model grok-build-0.1 does not support parameter reasoningEffort.' },
    { parameter: { name: 'reasoning_effort' } },
  ],
  [
    'xAI',
    400,
    'context_overflow',
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
    },
    { contextLimit: 131_072 },
  ],
  // alibabacloud.com/help/en/model-studio/error-code
  [
    'Qwen',
    400,
    'context_overflow',
    error('Range of input length should be [1, 129024]', {
      code: 'invalid_parameter_error',
      type: 'invalid_request_error',
    }),
    { contextLimit: 129_024 },
  ],
  [
    'Qwen',
    400,
    'billing',
    error('Access denied, please make sure your account is in good standing.', { code: 'Arrearage' }),
  ],
  [
    'Qwen',
    403,
    'billing',
    error('The free tier of the model has been exhausted.', { code: 'AllocationQuota.FreeTierOnly' }),
  ],
  [
    'Qwen',
    400,
    'content_policy',
    error('Input data may contain inappropriate content.', { code: 'data_inspection_failed' }),
  ],
  [
    'Qwen',
    429,
    'rate_limit',
    error('Requests rate limit exceeded, please try again later.', { code: 'limit_requests' }),
  ],
  [
    'Qwen',
    400,
    'unsupported_parameter',
    error('parameter.enable_thinking must be set to false for non-streaming calls', {
      code: 'invalid_parameter_error',
    }),
    { parameter: { name: 'enable_thinking' } },
  ],
  // github.com issue reports about api.githubcopilot.com
  ['Copilot', 401, 'auth', 'unauthorized: token expired\n'],
  ['Copilot', 402, 'billing', error('You have no quota', { code: 'quota_exceeded' })],
  [
    'Copilot',
    400,
    'model_not_found',
    error('The requested model is not supported.', { code: 'model_not_supported', param: 'model' }),
  ],
  [
    'Copilot',
    400,
    'context_overflow',
    error('prompt token count of 140000 exceeds the limit of 128000', { code: 'model_max_prompt_tokens_exceeded' }),
    { contextLimit: 128_000 },
  ],
  // huggingface.co/docs/inference-providers
  ['Hugging Face', 401, 'auth', { error: 'Invalid username or password.' }],
  [
    'Hugging Face',
    402,
    'billing',
    {
      error:
        'You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO to get 20x more.',
    },
  ],
  [
    'Hugging Face',
    400,
    'model_not_found',
    error("The requested model 'x/y' is not supported by any provider you have enabled.", {
      code: 'model_not_supported',
    }),
  ],
  ['Hugging Face', 503, 'overloaded', { error: 'Model x/y is currently loading', estimated_time: 20 }],
  // github.com/ollama/ollama, docs/api.md and server sources
  ['Ollama', 404, 'model_not_found', { error: "model 'qwen99' not found" }],
  ['Ollama', 400, 'model_not_found', { error: 'registry.ollama.ai/library/gemma:2b does not support tools' }],
  [
    'Ollama',
    400,
    'unsupported_parameter',
    { error: '"llama3.2:1b" does not support thinking' },
    { parameter: { name: 'think' } },
  ],
  [
    'Ollama',
    500,
    'server_error',
    { error: 'model requires more system memory (8.0 GiB) than is available (4.0 GiB)' },
    { retryable: false },
  ],
  ['Ollama', 503, 'overloaded', { error: 'server busy, please try again.  maximum pending requests exceeded' }],
  // lmstudio.ai/docs, and its log messages
  [
    'LM Studio',
    400,
    'context_overflow',
    {
      error:
        'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    },
    { contextLimit: 4096 },
  ],
  [
    'LM Studio',
    404,
    'model_not_found',
    error('No models loaded. Please load a model in the developer page or use the `lms load` command.', {
      code: 'model_not_found',
      param: 'model',
    }),
  ],
  // github.com/ggml-org/llama.cpp, tools/server
  [
    'llama.cpp',
    400,
    'context_overflow',
    error('the request exceeds the available context size, try increasing it', {
      code: 400,
      type: 'exceed_context_size_error',
      n_prompt_tokens: 9000,
      n_ctx: 4096,
    }),
    { contextLimit: 4096 },
  ],
  ['llama.cpp', 503, 'overloaded', error('Loading model', { code: 503, type: 'unavailable_error' })],
  // docs.vllm.ai, OpenAI-compatible server
  [
    'vLLM',
    400,
    'context_overflow',
    {
      object: 'error',
      message: "This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    { contextLimit: 32_768 },
  ],
  [
    'vLLM',
    404,
    'model_not_found',
    { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', param: null, code: 404 },
  ],
  // vercel.com/docs/ai-gateway
  [
    'AI Gateway',
    402,
    'billing',
    error('Insufficient funds. Please add credits to your account.', { type: 'insufficient_funds' }),
  ],
  [
    'AI Gateway',
    403,
    'billing',
    error('AI Gateway requires a valid credit card on file to service requests.', {
      type: 'customer_verification_required',
    }),
  ],
  ['AI Gateway', 401, 'auth', error('Unauthenticated request to AI Gateway.', { type: 'authentication_error' })],
  // Patterns collected by the original.
  ['Nous', 403, 'billing', error('No usable credits on this account.', { code: 'no_usable_credits' })],
  [
    'Nous',
    400,
    'billing',
    error('This model is not available on the free tier.', { code: 'model_not_supported_on_free_tier' }),
  ],
  // github.com/openai/codex
  [
    'Codex',
    429,
    'rate_limit',
    error('The usage limit has been reached', {
      type: 'usage_limit_reached',
      plan_type: 'plus',
      resets_in_seconds: 3600,
    }),
    { retryAfterMs: 3_600_000 },
  ],
  [
    'Codex',
    400,
    'model_not_found',
    { detail: "The 'gpt-9' model is not supported when using Codex with a ChatGPT account." },
  ],
  [
    'Codex',
    400,
    'unsupported_parameter',
    { detail: 'Unsupported parameter: max_output_tokens' },
    { parameter: { name: 'max_output_tokens' } },
  ],
  // docs.aws.amazon.com/bedrock, API error codes
  ['Bedrock', 400, 'context_overflow', { message: 'Input is too long for requested model.' }],
  ['Bedrock', 400, 'model_not_found', { message: 'The provided model identifier is invalid.' }],
  [
    'Bedrock',
    400,
    'model_not_found',
    {
      message:
        'Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    },
  ],
  ['Bedrock', 403, 'model_not_found', { message: "You don't have access to the model with the specified model ID." }],
  ['Bedrock', 403, 'auth', { message: 'The security token included in the request is expired' }],
  ['Bedrock', 429, 'rate_limit', { message: 'Too many tokens, please wait before trying again.' }],
  // cloud.google.com/vertex-ai, API errors
  [
    'Vertex',
    404,
    'model_not_found',
    error('Publisher Model `projects/p/locations/global/publishers/google/models/x` was not found.', {
      code: 404,
      status: 'NOT_FOUND',
    }),
  ],
  // learn.microsoft.com, Azure OpenAI
  [
    'Azure',
    404,
    'model_not_found',
    error('The API deployment for this resource does not exist.', { code: 'DeploymentNotFound' }),
  ],
];

describe('error responses of providers', () => {
  for (const [provider, status, kind, body, learnt = {}] of CASES) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    verifies('CALL-4', `${provider}, ${status}: ${text.slice(0, 100)} → ${kind}`, () => {
      // A failure with a success status was detected in the response itself.
      const facts = status === 200 ? factsOfStreamError(body as never) : { ...factsOfErrorText(text), status };
      expect(classifyFailure(facts)).toMatchObject({ kind, ...learnt });
    });
  }
});

describe('a web page instead of a response', () => {
  const page = '<!doctype html><title>404 Not Found</title>';

  verifies('CALL-4', 'means a wrong URL if the request was rejected, and is not retried', () => {
    for (const status of [403, 404, 405]) {
      const failure = classifyFailure({ ...factsOfErrorText(page), status });
      expect(failure).toMatchObject({ kind: 'format_error', retryable: false });
      expect(failure.message).toContain('404 Not Found');
      expect(adviceFor(failure)).toContain('base_url');
    }
  });

  it('means a temporary failure if a gateway sends it', () => {
    const failure = classifyFailure({ ...factsOfErrorText('<html><title>Bad gateway</title></html>'), status: 502 });
    expect(failure).toMatchObject({ kind: 'server_error', retryable: true });
  });
});

describe('gateway messages without a status', () => {
  it.each<[string, ModelErrorKind, boolean]>([
    ['[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate', 'connection', false],
    ['unable to get local issuer certificate', 'connection', false],
    ['write EPROTO: sslv3 alert bad record mac', 'connection', true],
    ['getaddrinfo ENOTFOUND upstream', 'connection', true],
    ['fetch failed', 'connection', true],
    ['turn timed out', 'timeout', true],
    ['max_tokens: 300000 tokens exceed the window', 'context_overflow', false],
    ['image exceeds 5 MB maximum', 'attachment_refused', false],
    ['No user query found in messages.', 'format_error', false],
    ['tool message content must be a string', 'format_error', false],
    ['llama runner process has terminated: exit status 2', 'server_error', true],
  ])('%s', (message, kind, retryable) => {
    expect(classifyFailure({ message })).toMatchObject({ kind, retryable });
  });
});

describe('reset times', () => {
  const NOW = Date.parse('2026-11-15T12:00:00Z');

  it.each<[string, Record<string, string>, number | undefined]>([
    [
      'OpenAI, the limit that is used up',
      {
        'x-ratelimit-remaining-requests': '12',
        'x-ratelimit-reset-requests': '8h0m0s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      360_000,
    ],
    ['OpenAI, without what is left', { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '120ms' }, 1000],
    [
      'Anthropic',
      {
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-11-15T12:01:30Z',
        'anthropic-ratelimit-requests-remaining': '9',
        'anthropic-ratelimit-requests-reset': '2026-11-15T13:00:00Z',
      },
      90_000,
    ],
    ['Anthropic, a plan', { 'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 60) }, 60_000],
    [
      'OpenRouter',
      { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 45_000) },
      45_000,
    ],
    ['seconds from now', { 'x-ratelimit-reset': '30' }, 30_000],
    ['the past', { 'x-ratelimit-reset': String(NOW - 5000) }, 0],
    [
      'nonsense',
      { 'x-ratelimit-reset': 'soon', 'x-ratelimit-reset-tokens': '', 'anthropic-ratelimit-tokens-reset': '-' },
      undefined,
    ],
    ['something else', { 'x-ratelimit-reset': '99999999999999' }, undefined],
    ['nothing', {}, undefined],
  ])('%s', (_, headers, expected) => {
    expect(resetOf(headers, NOW)).toBe(expected);
  });
});
