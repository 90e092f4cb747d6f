import type { JsonValue } from './json.ts';

/**
 * The only message format in Hermes: messages are stored in it, the loop uses it, and every API mode encodes from it
 * and decodes to it. The system prompt is not a message; it belongs to the session.
 */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export type UserMessage = {
  role: 'user';
  content: string;
  /** The exact text sent to the provider if it differs from `content`, e.g. because recalled memory was added. */
  sentContent?: string;
  /** Images and PDF files, in the order of attachment. */
  attachments?: Attachment[];
};

export type AssistantMessage = {
  role: 'assistant';
  content: string;
  toolCalls?: ToolCall[];
  finishReason?: FinishReason;
  /** Reasoning as plain text, for our own records; never sent back in this field. */
  reasoning?: string;
  /**
   * Provider-native reasoning (Anthropic thinking blocks, OpenRouter `reasoning_details`), sent back unchanged. The last
   * entry may say between which parts of the message it belongs.
   */
  reasoningDetails?: JsonValue[];
  /** Encrypted reasoning items of the Responses API, sent back unchanged. */
  codexReasoningItems?: JsonValue[];
  /** The endpoint that created this message; provider-native fields are sent back only to it. */
  producer?: string;
};

export type ToolMessage = {
  role: 'tool';
  toolCallId: string;
  toolName: string;
  content: string;
  /** Images that the tool returned with its text. */
  attachments?: Attachment[];
};

export type ToolCall = {
  /** Links the call to its result; unique within a conversation. */
  id: string;
  name: string;
  /** The arguments as the provider wrote them, whether valid JSON or not. */
  arguments: string;
  /** The item id that the Responses API assigns in addition to the call id. */
  itemId?: string;
  /** Opaque provider data such as thought signatures, sent back unchanged. */
  extraContent?: JsonValue;
};

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** What a user message or a tool result can contain in addition to its text. */
export const ATTACHMENT_KINDS = ['image', 'document'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** An image or a PDF file of a message. Its bytes are a blob of the store, identified by their hash. */
export type Attachment = {
  kind: AttachmentKind;
  mediaType: string;
  /** The file name without a path. */
  name: string;
  /** SHA-256, hexadecimal. */
  hash: string;
  size: number;
  /** A description by a model that can read the attachment, for models that cannot. */
  description?: string;
};

/** A file that is about to be attached to a message. */
export type AttachedFile = Pick<Attachment, 'kind' | 'mediaType' | 'name'> & { bytes: Uint8Array };

/**
 * Limits for one request. Base64 adds a third, the strictest providers accept 32 MB, and some restrict the image size
 * in requests with more than 20 images.
 */
export const ATTACHMENT_LIMITS = { bytes: 20_000_000, count: 20 } as const;

export function attachmentsOf(message: Message): readonly Attachment[] {
  return message.role === 'assistant' ? [] : (message.attachments ?? []);
}
