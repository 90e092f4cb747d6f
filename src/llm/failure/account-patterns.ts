import type { KnownMessages } from './failure-patterns.ts';

// Provider messages about credentials, billing, limits and policies: about the account, not about the request.

/** The account has no balance, or its plan does not cover the request. */
export const BILLING_CODES: KnownMessages = {
  balance_depleted: 'Nous',
  billing_error: 'Anthropic',
  billing_not_active: 'OpenAI',
  insufficient_credits: 'OpenRouter',
  insufficient_funds: 'AI Gateway',
  insufficient_quota: 'OpenAI',
  exceeded_current_quota_error: 'Kimi',
  arrearage: 'Qwen',
  'allocationquota.freetieronly': 'Qwen',
  customer_verification_required: 'AI Gateway',
  member_spend_cap_exceeded: 'Nous',
  model_not_supported_on_free_tier: 'Nous',
  no_usable_credits: 'Nous',
  payment_required: 'several',
  'personal-team-blocked:spending-limit': 'xAI',
  '1113': 'Z.AI',
  '1008': 'MiniMax',
};

export const BILLING_WORDS: KnownMessages = {
  'insufficient credits': 'OpenRouter',
  'key limit exceeded': 'OpenRouter',
  insufficient_quota: 'OpenAI',
  'insufficient balance': 'DeepSeek, Z.AI, Kimi, MiniMax',
  'insufficient funds': 'AI Gateway',
  'credit balance': 'Anthropic',
  'credits exhausted': 'Nous',
  'credits have been exhausted': 'Nous',
  'requires available credits': 'Nous',
  'used all available credits': 'xAI',
  'monthly spending limit': 'xAI',
  'exceeded your monthly included credits': 'Hugging Face',
  'account balance is too low': 'several',
  'no usable credits': 'Nous',
  'top up your credits': 'Nous',
  'payment required': 'several',
  'billing hard limit': 'OpenAI',
  'exceeded your current quota': 'OpenAI',
  'plan does not include': 'several',
  'out of extra usage': 'Anthropic',
  'out of funds': 'several',
  balance_depleted: 'Nous',
  model_not_supported_on_free_tier: 'Nous',
  'not available on the free tier': 'Nous',
  'valid credit card on file': 'AI Gateway',
  'account is in good standing': 'Qwen',
};

/** The credential was rejected; a new token may help. */
export const AUTH_CODES: KnownMessages = {
  authentication_error: 'Anthropic',
  permission_error: 'Anthropic',
  invalid_api_key: 'OpenAI',
  api_key_invalid: 'Gemini',
  '1004': 'MiniMax',
};

export const AUTH_WORDS: KnownMessages = {
  'invalid api key': 'several',
  'incorrect api key': 'OpenAI, xAI',
  'api key not valid': 'Gemini',
  invalid_api_key: 'OpenAI',
  'invalid x-api-key': 'Anthropic',
  gateway_auth_failed: 'Nous',
  authentication: 'several',
  unauthorized: 'several',
  forbidden: 'several',
  'invalid token': 'several',
  'token expired': 'Copilot, Z.AI',
  'login fail': 'MiniMax',
  'access denied': 'several',
};

/** Invalid credentials reported with a status such as 400. */
export const BAD_KEY_WORDS: KnownMessages = {
  'api key not valid': 'Gemini',
  'invalid api key': 'several',
  'incorrect api key': 'xAI',
};

/** The credential was revoked permanently. */
export const AUTH_PERMANENT_WORDS: KnownMessages = {
  'account is deactivated': 'several',
  'account has been deactivated': 'OpenAI',
  'organization has been disabled': 'Anthropic',
  'organization is disabled': 'Anthropic',
  'key has been revoked': 'several',
  'key is disabled': 'several',
  'key has been disabled': 'OpenRouter',
  'token revoked': 'several',
  'token has been revoked': 'several',
};

/** The provider refuses this content for every account. */
export const POLICY_CODES: KnownMessages = {
  content_filter: 'OpenAI, Kimi',
  content_policy_violation: 'OpenAI',
  data_inspection_failed: 'Qwen',
  responsibleaipolicyviolation: 'Azure',
  '1301': 'Z.AI',
  '1026': 'MiniMax',
  '1027': 'MiniMax',
};

export const POLICY_WORDS: KnownMessages = {
  'flagged for possible cybersecurity risk': 'OpenAI',
  'trusted access for cyber': 'OpenAI',
  'violates our usage policies': 'OpenAI',
  "violates openai's usage policies": 'OpenAI',
  'your request was flagged by': 'OpenAI',
  'your input was flagged': 'OpenRouter',
  'prompt was flagged by our safety': 'OpenAI',
  'flagged as potentially violating': 'OpenAI',
  'responses cannot be generated due to safety': 'Gemini',
  content_filter: 'several',
  'content filtering policy': 'Anthropic',
  responsibleaipolicyviolation: 'Azure',
  new_sensitive: 'MiniMax',
  'potentially unsafe or sensitive content': 'Z.AI',
  'may contain inappropriate content': 'Qwen',
  'no endpoints available matching your guardrail': 'OpenRouter',
  'no endpoints available matching your data policy': 'OpenRouter',
  'no endpoints found matching your data policy': 'OpenRouter',
};

/** The provider is overloaded. */
export const OVERLOADED_CODES: KnownMessages = {
  overloaded_error: 'Anthropic',
  engine_overloaded_error: 'Kimi',
  server_is_overloaded: 'OpenAI',
  slow_down: 'OpenAI',
  unavailable_error: 'llama.cpp',
  '1305': 'Z.AI',
};

export const OVERLOADED_WORDS: KnownMessages = {
  overloaded: 'several',
  'at capacity': 'several',
  'over capacity': 'several',
  'maximum pending requests exceeded': 'Ollama',
  'loading model': 'llama.cpp',
};

/** Rate limits. */
export const RATE_CODES: KnownMessages = {
  rate_limit_error: 'Anthropic',
  rate_limit_exceeded: 'OpenAI',
  usage_limit_reached: 'Codex',
  resource_exhausted: 'Gemini',
  '1302': 'Z.AI',
  '1002': 'MiniMax',
  '1039': 'MiniMax',
  '2056': 'MiniMax',
};

export const RATE_WORDS: KnownMessages = {
  'rate limit': 'several',
  rate_limit: 'several',
  'too many requests': 'several',
  throttled: 'several',
  throttling: 'Qwen, Bedrock',
  'requests per minute': 'several',
  'tokens per minute': 'several',
  'requests per day': 'several',
  'try again in': 'OpenAI',
  'please retry after': 'several',
  resource_exhausted: 'Gemini',
  'rate increased too quickly': 'Qwen',
  'too many concurrent requests': 'several',
  servicequotaexceededexception: 'Bedrock',
};

/** Exhausted usage quotas. */
export const USAGE_LIMIT_WORDS: KnownMessages = {
  'usage limit': 'Codex, Z.AI, MiniMax',
  quota: 'several',
  'limit exceeded': 'OpenRouter',
};

/** Words that, in a message about a usage limit, mean that the limit resets by itself. */
export const TRANSIENT_WORDS: KnownMessages = {
  'try again': 'several',
  retry: 'several',
  'resets at': 'several',
  'reset in': 'several',
  'will reset': 'Z.AI',
  wait: 'several',
  'requests remaining': 'several',
  periodic: 'several',
  window: 'several',
};
