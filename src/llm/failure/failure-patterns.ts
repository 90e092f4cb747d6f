// Known error messages of providers, in lower case, with the provider. Extend them when a provider words an error
// differently; failure-table.ts decides what they mean.

/** Messages or codes with the providers that use them; `several` if they are not specific to one. */
export type KnownMessages = Readonly<Record<string, string>>;

/** The request exceeds the context window. */
export const OVERFLOW_CODES: KnownMessages = {
  context_length_exceeded: 'OpenAI',
  exceed_context_size_error: 'llama.cpp',
  model_context_window_exceeded: 'Anthropic',
  model_max_prompt_tokens_exceeded: 'Copilot',
  '1261': 'Z.AI',
};

export const OVERFLOW_WORDS: KnownMessages = {
  'context length': 'OpenAI, vLLM, LM Studio',
  'context size': 'llama.cpp',
  'context limit': 'Anthropic',
  'maximum context': 'OpenAI',
  'token limit': 'Kimi',
  'too many tokens': 'several',
  'reduce the length': 'OpenAI',
  'context window': 'OpenAI, MiniMax',
  'prompt is too long': 'Anthropic',
  'prompt exceeds max length': 'Z.AI',
  'maximum number of tokens': 'Gemini',
  max_model_len: 'vLLM',
  'prompt length': 'xAI',
  'input is too long': 'Bedrock',
  'maximum model length': 'vLLM',
  'truncating input': 'Ollama',
  'slot context': 'llama.cpp',
  n_ctx_slot: 'llama.cpp',
  超过最大长度: 'Qwen',
  上下文长度: 'Qwen',
  'tokens in request more than max tokens allowed': 'several',
  'max input token': 'several',
  'maximum number of input tokens': 'several',
  'maximum allowed input length': 'several',
  'range of input length should be': 'Qwen',
  'prompt token count': 'Copilot',
};

/** These words mention a size but do not say that it was exceeded, so they count only together with the words below. */
export const SIZE_WORDS: KnownMessages = {
  'exceeds the limit': 'several',
  max_tokens: 'several',
  'input token': 'Gemini',
};

export const EXCESS_WORDS: KnownMessages = {
  'tokens exceed': 'several',
  'exceeds the maximum': 'several',
  'token count': 'Gemini',
  'tokens, which': 'several',
};

/** The model does not exist or is not available to this account. */
export const MODEL_CODES: KnownMessages = {
  model_not_found: 'OpenAI',
  model_not_supported: 'Copilot, Hugging Face',
  '1211': 'Z.AI',
  deploymentnotfound: 'Azure',
};

export const MODEL_WORDS: KnownMessages = {
  'is not a valid model': 'OpenRouter',
  'invalid model': 'several',
  'model not found': 'several',
  model_not_found: 'several',
  'no such model': 'several',
  'unknown model': 'Z.AI',
  'unsupported model': 'several',
  'requested model is not supported': 'Copilot',
  'model is not supported': 'Codex',
  'no endpoints found': 'OpenRouter',
  'no allowed providers are available': 'OpenRouter',
  'no models loaded': 'LM Studio',
  'does not support tools': 'Ollama',
  'model identifier is invalid': 'Bedrock',
  'with on-demand throughput': 'Bedrock',
  'have access to the model with': 'Bedrock',
};

/** The request body is too large for the gateway. */
export const PAYLOAD_WORDS: KnownMessages = {
  'request entity too large': 'several',
  'payload too large': 'several',
  'error code: 413': 'several',
  request_too_large: 'Anthropic',
  'request exceeds the maximum size': 'Anthropic',
  'request exceeds the maximum allowed number of bytes': 'Anthropic',
};

/** One request exceeds the limit per minute, so waiting does not help. */
export const TOO_LARGE_FOR_A_MINUTE: KnownMessages = {
  'request too large': 'OpenAI',
  'tokens must be reduced': 'OpenAI',
};

/** A parameter or its value is rejected; used only if the parameter is known. */
export const PARAMETER_CODES: KnownMessages = {
  unsupported_parameter: 'OpenAI',
  unknown_parameter: 'OpenAI',
  unsupported_value: 'OpenAI',
};

export const PARAMETER_WORDS: KnownMessages = {
  'unknown parameter': 'OpenAI',
  'unsupported parameter': 'OpenAI, Codex',
  'unsupported value': 'OpenAI',
  'unrecognized request argument': 'OpenAI',
  unknown_parameter: 'OpenAI',
  unsupported_parameter: 'OpenAI',
  'does not support parameter': 'xAI',
  'does not support thinking': 'Ollama',
  'invalid reasoning_effort': 'Gemini',
  'must be set to false for non-streaming': 'Qwen',
  'extra inputs are not permitted': 'Anthropic',
  'not supported with this model': 'OpenAI',
  'not supported by this model': 'several',
  'not supported for this model': 'several',
  'is deprecated for this model': 'Anthropic',
  'encrypted content is not supported': 'OpenAI',
  'maximum allowed number of output tokens': 'Anthropic',
  'is too large': 'OpenAI',
};

/** The model does not support streaming. */
export const STREAM_WORDS: KnownMessages = {
  'streaming is not supported': 'several',
  'streaming not supported': 'several',
  'stream is not supported': 'several',
  'stream not supported': 'several',
  'does not support streaming': 'several',
  'does not support stream': 'several',
  'verified to stream this model': 'OpenAI',
  'only non-streaming': 'several',
  'set stream to false': 'several',
  'streaming is disabled': 'several',
};

/** The request contains a lone surrogate or invalid UTF-8. */
export const ENCODING_WORDS: KnownMessages = {
  surrogate: 'several',
  'invalid unicode': 'several',
  'invalid utf-8': 'several',
  'not valid utf-8': 'several',
  'could not parse the json body': 'OpenAI',
  'request body is not valid json': 'Anthropic',
};

/** A gateway got an empty response from the model. */
export const EMPTY_RESPONSE_WORDS: KnownMessages = {
  'returned an empty response': 'several',
  'empty response despite retries': 'several',
  'returning empty responses': 'several',
  'empty response stream': 'several',
};

/**
 * The provider cannot use the encrypted reasoning in the history. Dropping that reasoning fixes all of these errors.
 */
export const ENCRYPTED_WORDS: KnownMessages = {
  'encrypted content': 'OpenAI',
  encrypted_content: 'OpenAI',
  'items are not persisted': 'OpenAI',
  "of type 'reasoning' was provided without": 'OpenAI',
};

/** The provider rejects the form of the history, under whatever status a gateway reports it. */
export const HISTORY_WORDS: KnownMessages = {
  'must have non-empty content': 'several',
  'messages must have non-empty': 'Anthropic',
  invalid_request_body: 'several',
  'text content blocks must be non-empty': 'Anthropic',
  'content field is required': 'several',
  'messages: at least one message is required': 'Anthropic',
  'no user query found': 'Qwen',
  'text is not set': 'several',
  'tool message content must be a string': 'several',
  'tool content must be a string': 'several',
  'tool message must be a string': 'several',
  'expected string, got list': 'several',
  'expected string, got array': 'several',
  'tool_call.content must be string': 'several',
};

/** The model of a local server failed to run. */
export const MODEL_CRASH_WORDS: KnownMessages = {
  'encountered while running the model': 'Ollama',
  'llama runner process': 'Ollama',
  'runner process has terminated': 'Ollama',
};

/** The model does not fit into memory, so retries do not help. */
export const OUT_OF_MEMORY_WORDS: KnownMessages = {
  'model requires more system memory': 'Ollama',
};

/** The model or the endpoint does not accept such files. */
export const UNSUPPORTED_WORDS: KnownMessages = {
  'not support image': 'LM Studio, several',
  'not support images': 'LM Studio',
  'not support vision': 'several',
  'not support pdf': 'several',
  'not support document': 'several',
  'not support file': 'several',
  'found that support image': 'OpenRouter',
  'found that support file': 'OpenRouter',
  'image input is not supported': 'llama.cpp',
  'missing data required for image': 'Ollama',
  'image_url is only supported by': 'OpenAI',
  'not a vision model': 'several',
  'not a multimodal model': 'vLLM',
  'at most 0 image': 'vLLM',
  'unsupported content part type': 'llama.cpp',
  'invalid content part type': 'Gemini',
  'unknown variant `image_url`': 'DeepSeek',
  'unknown variant `file`': 'DeepSeek',
  'file must have a file_id': 'DeepSeek',
  'invalid value: file.': 'DashScope',
  "invalid value: 'file'": 'OpenAI',
  "invalid value: 'image_url'": 'OpenAI',
  "invalid value: 'input_image'": 'OpenAI',
  "invalid value: 'input_file'": 'OpenAI',
};

export const REFUSED_CODES: KnownMessages = {
  image_too_large: 'OpenAI',
  image_too_small: 'OpenAI',
  image_parse_error: 'OpenAI',
  invalid_image: 'OpenAI',
  invalid_image_format: 'OpenAI',
  invalid_base64_image: 'OpenAI',
  unsupported_image_media_type: 'OpenAI',
  empty_image_file: 'OpenAI',
};

/** This particular file is too large, damaged or in an unsupported format. */
export const REFUSED_WORDS: KnownMessages = {
  'image exceeds': 'Anthropic',
  'image too large': 'several',
  image_too_large: 'several',
  'image size exceeds': 'several',
  'image dimensions exceed': 'Anthropic',
  'dimensions exceed max allowed size': 'Anthropic',
  'max allowed size: 8000': 'Anthropic',
  'could not process image': 'Anthropic',
  'could not process pdf': 'Anthropic',
  'image cannot be empty': 'Anthropic',
  'does not match the provided media type': 'Anthropic',
  'pdf specified was not valid': 'Anthropic',
  'pdf specified is password': 'Anthropic',
  'pdf pages may be provided': 'Anthropic',
  'unsupported image': 'OpenAI',
  'invalid image': 'several',
  'not represent a valid image': 'OpenAI',
  'unable to process input image': 'Gemini',
  'the document has no pages': 'Gemini',
  'cannot decode or download image': 'Fireworks',
  'cannot preprocess image': 'Fireworks',
  'failed to decode image': 'Ollama',
  'failed to load image': 'llama.cpp',
  'cannot identify image file': 'vLLM',
};
