import type { AttachmentKind } from '../base/index.ts';
import type { AuthScheme } from '../contracts/index.ts';
import type { EffortStyle } from './effort/effort-rules.ts';
import type { SpeedStyle } from './speed.ts';

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
  /** Which words it has for reasoning effort, where they are not those of its API mode. */
  effort?: EffortStyle;
  /** How it is asked to be quicker, where that is not what its API mode has. */
  speed?: SpeedStyle;
  /** Asks for the summary of its thinking (Responses); some accounts are refused it, so it is not the rule. */
  reasoningSummary?: true;
  /** A tool call without the thinking that led to it is refused: the field goes along even where there is none. */
  reasoningRequired?: true;
  /** Sends these instructions where there are none, because it refuses a request without. */
  defaultInstructions?: string;
  /** Refuses an output limit. */
  noOutputLimit?: true;
  /** Answers only in streams. */
  streamOnly?: true;
  /**
   * Takes Anthropic's cache marks for models with this in their names, also in chat completions; `claude` where the API
   * is Anthropic's, unless told otherwise.
   */
  cacheMarks?: 'claude' | 'qwen' | false;
  /** Knows only the shorter life of cache entries. */
  shortCacheOnly?: true;
  /** The parameter, or the header, that carries `ModelRequest.cacheKey` besides what its API mode has for it. */
  cacheKeyParameter?: string;
  cacheKeyHeader?: string;
  /** Which attachments its requests have a form for, where that differs from its API mode. */
  carries?: readonly AttachmentKind[];
  /** The chat-completions part in which a PDF file is sent; `file` unless told otherwise. */
  documentPart?: 'file' | 'image_url';
  /** Goes with every request that carries an image. */
  imageHeaders?: Readonly<Record<string, string>>;
  /** Takes images inside tool results; otherwise they follow in a message of the user. */
  toolResultImages?: boolean;
};
