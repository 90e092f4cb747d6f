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
};
