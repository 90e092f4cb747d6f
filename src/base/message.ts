import type { JsonValue } from './json.ts';

/**
 * The one message form of the program: what is stored, what the loop works on, what every API mode encodes from and
 * decodes to. The system prompt is not a message; it belongs to the session.
 */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export type UserMessage = {
  role: 'user';
  content: string;
  /** The exact text a provider was sent, where it differs from `content` (recalled memory and the like). */
  sentContent?: string;
  /** Images and PDF files, in the order in which they were attached. */
  attachments?: Attachment[];
};

export type AssistantMessage = {
  role: 'assistant';
  content: string;
  toolCalls?: ToolCall[];
  finishReason?: FinishReason;
  /** Thinking as plain text, for our own records; never sent back under this name. */
  reasoning?: string;
  /** Provider-native reasoning (Anthropic thinking blocks, OpenRouter `reasoning_details`), sent back unchanged. */
  reasoningDetails?: JsonValue[];
  /** Encrypted reasoning items of the Responses API, sent back unchanged. */
  codexReasoningItems?: JsonValue[];
  /** Which endpoint made this message; provider-native fields only go back there. */
  producer?: string;
};

export type ToolMessage = {
  role: 'tool';
  toolCallId: string;
  toolName: string;
  content: string;
};

export type ToolCall = {
  /** Links the call to its result; unique within a conversation. */
  id: string;
  name: string;
  /** Exactly what the provider wrote, valid JSON or not. */
  arguments: string;
  /** The item id that the Responses API gives beside its call id. */
  itemId?: string;
  /** Opaque provider data such as thought signatures, sent back unchanged. */
  extraContent?: JsonValue;
};

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** What a user message can contain in addition to its text. */
export const ATTACHMENT_KINDS = ['image', 'document'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** An image or a PDF file of a user message. The bytes are a blob of the store, named by their hash. */
export type Attachment = {
  kind: AttachmentKind;
  mediaType: string;
  /** What the person calls it; no path. */
  name: string;
  /** SHA-256 in hexadecimal digits. */
  hash: string;
  size: number;
  /** What a model that can read it wrote about it, for those that cannot. */
  description?: string;
};

/** A file on its way into a message. */
export type AttachedFile = Pick<Attachment, 'kind' | 'mediaType' | 'name'> & { bytes: Uint8Array };
