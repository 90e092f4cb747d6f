import type { AttachmentKind } from '../base/index.ts';
import type { AuthScheme } from '../contracts/index.ts';
import type { EffortStyle } from './effort/effort-rules.ts';
import type { SpeedStyle } from './speed.ts';

/**
 * Deviations of an endpoint from the standard form of its API mode, as data: a new provider needs a row, not a code
 * branch.
 */
export type ModelQuirks = {
  /** The field for the plain text of earlier reasoning; undefined if it is not sent back. */
  reasoningField?: 'reasoning_content' | 'reasoning';
  /** The role of the system prompt in chat completions (default: `system`). */
  systemRole?: 'system' | 'developer';
  /** The name of the output limit, if it differs from that of the API mode. */
  outputLimitParameter?: string;
  /** How the credential is sent (default: `x-api-key` for Anthropic messages, else `bearer`). */
  authHeader?: AuthScheme;
  /** The paths of calls, if they differ from that of the API mode; `{model}` is the name of the model. */
  callPath?: { streamed: string; whole: string };
  /** The version of Anthropic's API in the body, for services that have the model in the path. */
  anthropicVersion?: string;
  /** Added to model names without a publisher. */
  publisher?: string;
  /** Whether to request usage in a chat-completions stream (default: true). */
  streamUsage?: boolean;
  /** The parameter style for effort, if it differs from that of the API mode. */
  effort?: EffortStyle;
  /** The parameter style for speed, if it differs from that of the API mode. */
  speed?: SpeedStyle;
  /** Requests reasoning summaries (Responses). Not the default, because some accounts are not allowed to. */
  reasoningSummary?: true;
  /** Rejects a tool call without its reasoning, so the field is sent even if it is empty. */
  reasoningRequired?: true;
  /** Instructions to send if there are none, because the endpoint requires some. */
  defaultInstructions?: string;
  /** Rejects an output limit. */
  noOutputLimit?: true;
  /** Supports only streaming. */
  streamOnly?: true;
  /** The models for which it may accept Anthropic's cache markers (default: `claude`). */
  cacheMarkers?: 'claude' | 'qwen' | false;
  /** Supports only the five-minute cache lifetime. */
  shortCacheOnly?: true;
  /** A parameter or a header for `ModelRequest.cacheKey`, in addition to that of the API mode. */
  cacheKeyParameter?: string;
  cacheKeyHeader?: string;
  /** The kinds of attachments it accepts, if they differ from those of the API mode. */
  attachmentKinds?: readonly AttachmentKind[];
  /** The type of the chat-completions part for PDF files (default: `file`). */
  documentPart?: 'file' | 'image_url';
  /** Headers for every request that contains an image. */
  imageHeaders?: Readonly<Record<string, string>>;
  /**
   * Whether it accepts images in tool results (default: true for Anthropic messages, false for Responses). Otherwise,
   * and in other API modes, they follow in a user message.
   */
  toolResultImages?: boolean;
};
