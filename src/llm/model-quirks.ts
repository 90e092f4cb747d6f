import type { AuthScheme } from '../contracts/index.ts';

/** How an endpoint differs from the plain form of its API mode, as data: a new provider is a row, not a branch. */
export type ModelQuirks = {
  /** The field in which the plain text of earlier thinking goes back; absent where it is not wanted. */
  reasoningField?: 'reasoning_content' | 'reasoning';
  /** The role of the system prompt in chat completions; `system` unless told otherwise. */
  systemRole?: 'system' | 'developer';
  /** The name of the output limit; each API mode has its own usual one. */
  outputLimitParameter?: string;
  /** How the credential is sent; `x-api-key` for Anthropic messages, else `bearer`. */
  authHeader?: AuthScheme;
  /** The output limit of a request that brings none, where the API mode demands one. */
  maxOutputTokens?: number;
  /** Ask for usage in a chat-completions stream; true unless told otherwise. */
  streamUsage?: boolean;
  /** How `ModelRequest.effort` is said; absent leaves the thinking to the model. */
  effortStyle?: EffortStyle;
  /** Parameters that every model behind this endpoint refuses; they are left out from the first request on. */
  refusedParameters?: readonly string[];
  /** Takes Anthropic's cache marks on message parts, also in chat completions. */
  cacheMarks?: boolean;
  /** The parameter, or the header, that carries `ModelRequest.cacheKey`; without either it is not sent. */
  cacheKeyParameter?: string;
  cacheKeyHeader?: string;
  /** The parameter that carries `ModelRequest.speed`, as OpenAI's `service_tier`. */
  speedParameter?: string;
  /** Takes images inside tool results; otherwise they follow in a message of the user. */
  toolResultImages?: boolean;
  /** The server has an API of its own besides the compatible one, which takes what that one ignores. */
  nativeApi?: 'ollama';
};

/**
 * `reasoning_effort` and `reasoning` (an object with `effort`) name a degree. `thinking` is an object that switches it
 * on or off, `enable_thinking` a flag that does.
 */
export type EffortStyle = 'reasoning_effort' | 'reasoning' | 'thinking' | 'enable_thinking';
