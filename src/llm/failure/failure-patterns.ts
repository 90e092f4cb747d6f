// What providers are known to say, in lower case. Facts about the outside world: extend them when a provider says it
// differently; the table beside this file decides what they mean.

/** The account has no money, or its plan does not cover this. */
export const BILLING_CODES = [
  'balance_depleted',
  'billing_error',
  'billing_not_active',
  'insufficient_credits',
  'insufficient_quota',
  'member_spend_cap_exceeded',
  'model_not_supported_on_free_tier',
  'no_usable_credits',
  'payment_required',
  'personal-team-blocked:spending-limit',
];

export const BILLING_WORDS = [
  'insufficient credits',
  'insufficient_quota',
  'insufficient balance',
  'credit balance',
  'credits exhausted',
  'credits have been exhausted',
  'requires available credits',
  'account balance is too low',
  'no usable credits',
  'top up your credits',
  'payment required',
  'billing hard limit',
  'exceeded your current quota',
  'plan does not include',
  'out of extra usage',
  'out of funds',
  'balance_depleted',
  'model_not_supported_on_free_tier',
  'not available on the free tier',
];

/** The credential was refused; a new token may help. */
export const AUTH_WORDS = [
  'invalid api key',
  'incorrect api key',
  'invalid_api_key',
  'invalid x-api-key',
  'gateway_auth_failed',
  'authentication',
  'unauthorized',
  'forbidden',
  'invalid token',
  'token expired',
  'access denied',
];

/** The credential is gone for good. */
export const AUTH_PERMANENT_WORDS = [
  'account is deactivated',
  'account has been deactivated',
  'organization has been disabled',
  'organization is disabled',
  'key has been revoked',
  'key is disabled',
  'key has been disabled',
  'token revoked',
  'token has been revoked',
];

/** The provider will not answer this, whoever asks. */
export const POLICY_CODES = ['content_filter', 'content_policy_violation', 'responsibleaipolicyviolation'];

export const POLICY_WORDS = [
  'flagged for possible cybersecurity risk',
  'trusted access for cyber',
  'violates our usage policies',
  "violates openai's usage policies",
  'your request was flagged by',
  'your input was flagged',
  'prompt was flagged by our safety',
  'flagged as potentially violating',
  'responses cannot be generated due to safety',
  'content_filter',
  'content filtering policy',
  'responsibleaipolicyviolation',
  'new_sensitive',
  'no endpoints available matching your guardrail',
  'no endpoints available matching your data policy',
  'no endpoints found matching your data policy',
];

/** The request has more tokens than the model takes. */
export const OVERFLOW_CODES = ['context_length_exceeded', 'exceed_context_size_error', 'model_context_window_exceeded'];

export const OVERFLOW_WORDS = [
  'context length',
  'context size',
  'context limit',
  'maximum context',
  'token limit',
  'too many tokens',
  'reduce the length',
  'context window',
  'prompt is too long',
  'prompt exceeds max length',
  'maximum number of tokens',
  'max_model_len',
  'prompt length',
  'input is too long',
  'maximum model length',
  'truncating input',
  'slot context',
  'n_ctx_slot',
  '超过最大长度',
  '上下文长度',
  'tokens in request more than max tokens allowed',
  'max input token',
  'maximum number of input tokens',
  'maximum allowed input length',
];

/** There is no such model, or not for this account. */
export const MODEL_WORDS = [
  'is not a valid model',
  'invalid model',
  'model not found',
  'model_not_found',
  'no such model',
  'unknown model',
  'unsupported model',
  'no endpoints found',
];

export const OVERLOADED_WORDS = ['overloaded', 'at capacity', 'over capacity'];

/** The request has more bytes than the gateway takes. */
export const PAYLOAD_WORDS = [
  'request entity too large',
  'payload too large',
  'error code: 413',
  'request_too_large',
  'request exceeds the maximum size',
  'request exceeds the maximum allowed number of bytes',
];

/** Too much in too short a time. */
export const RATE_WORDS = [
  'rate limit',
  'rate_limit',
  'too many requests',
  'throttled',
  'throttling',
  'requests per minute',
  'tokens per minute',
  'requests per day',
  'try again in',
  'please retry after',
  'resource_exhausted',
  'rate increased too quickly',
  'too many concurrent requests',
  'servicequotaexceededexception',
];

export const USAGE_LIMIT_WORDS = ['usage limit', 'quota', 'limit exceeded'];

/** Next to a usage limit these say that it comes back by itself. */
export const TRANSIENT_WORDS = ['try again', 'retry', 'resets at', 'reset in', 'wait', 'periodic', 'window'];

/** A parameter is not taken, or not with this value; only counts where it can be told which. */
export const PARAMETER_WORDS = [
  'unknown parameter',
  'unsupported parameter',
  'unsupported value',
  'unrecognized request argument',
  'unknown_parameter',
  'unsupported_parameter',
  'extra inputs are not permitted',
  'not supported with this model',
  'not supported by this model',
  'not supported for this model',
  'is deprecated for this model',
  'encrypted content is not supported',
  'maximum allowed number of output tokens',
  'is too large',
];

/** The model answers, but only in one piece. */
export const STREAM_WORDS = [
  'streaming is not supported',
  'streaming not supported',
  'stream is not supported',
  'stream not supported',
  'does not support streaming',
  'does not support stream',
  'verified to stream this model',
  'only non-streaming',
  'set stream to false',
  'streaming is disabled',
];

/** Half a character, or bytes that are no text, somewhere in the request. */
export const ENCODING_WORDS = [
  'surrogate',
  'invalid unicode',
  'invalid utf-8',
  'not valid utf-8',
  'could not parse the json body',
  'request body is not valid json',
];

/** A gateway got nothing from the model behind it. */
export const EMPTY_RESPONSE_WORDS = [
  'returned an empty response',
  'empty response despite retries',
  'returning empty responses',
  'empty response stream',
];

/** Encrypted thinking that the provider cannot use: dropping all of it is the way out of each of these. */
export const ENCRYPTED_WORDS = [
  'encrypted content',
  'encrypted_content',
  'items are not persisted',
  "of type 'reasoning' was provided without",
];
