import type { JsonObject, JsonValue } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import type { PlannedReply } from '../reply/index.ts';

/** One event of a stream, before it is text. */
export type WireEvent = { event?: string; data: JsonObject | string };

/** The data of an event that names its own type. */
export type TypedData = { type: string; [key: string]: JsonValue };

/** The events of an answer; those of `finish` say why it ended. */
export type WireStream = { content: WireEvent[]; finish: WireEvent[] };

/** What an encoder needs to know of the request it answers. */
export type WireContext = { id: string; model: string; includeUsage: boolean };

/** An error as a provider reports it. */
export type WireError = { status: number; message: string; code?: string; parameter?: string };

export type ReceivedToolCall = { id: string; name: string; arguments: string };

/** An image or a file of a user message. Where a mode has no place for media type or name, they are empty. */
export type ReceivedAttachment = { kind: 'image' | 'document'; mediaType: string; name: string; bytes: Buffer };

/** One message of a request, in the same form for every API mode. */
export type ReceivedMessage = {
  /** Where it stands in the body, e.g. `messages.3`. */
  place: string;
  role: 'user' | 'assistant' | 'tool';
  /** Parts that are neither text nor an attachment show as `[type]`. */
  text: string;
  /** What a user message carries, in order. */
  attachments: ReceivedAttachment[];
  reasoning: string;
  toolCalls: ReceivedToolCall[];
  /** The call that a tool message answers. */
  toolCallId: string;
};

/** A request body as it was understood, and what a strict provider would not accept in its form. */
export type ReceivedHistory = { system: string; messages: ReceivedMessage[]; toolNames: string[]; faults: string[] };

/** One API mode, seen from the server. */
export type WireMode = {
  apiMode: ApiMode;
  /** How the path of a request ends. */
  pathEnd: string;
  /** What separates the events of a stream; server-sent events unless told otherwise. */
  framing?: 'ndjson';
  read(body: JsonObject): ReceivedHistory;
  encodeWhole(reply: PlannedReply, context: WireContext): JsonObject;
  encodeStream(reply: PlannedReply, context: WireContext): WireStream;
  errorBody(error: WireError): JsonObject;
  /** The same error inside a stream that began well. */
  errorEvents(error: WireError, context: WireContext): WireEvent[];
};

/** An event as the bytes of a server-sent event, or as a line. */
export function serialiseEvent(event: WireEvent, framing: WireMode['framing']): string {
  const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data);
  if (framing === 'ndjson') return `${data}\n`;
  return `${event.event === undefined ? '' : `event: ${event.event}\n`}data: ${data}\n\n`;
}
