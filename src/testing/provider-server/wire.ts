import type { JsonObject, JsonValue } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import type { PlannedReply } from '../reply.ts';

/** One event of a stream, before it is text. */
export type WireEvent = { event?: string; data: JsonObject | string };

/** The data of an event that names its own type. */
export type TypedData = { type: string; [key: string]: JsonValue };

/** The events of an answer; those of `finish` say why it ended. */
export type WireStream = { content: WireEvent[]; finish: WireEvent[] };

/** What an encoder needs to know of the request it answers. */
export type WireContext = { id: string; model: string; includeUsage: boolean };

/** An error as a provider reports it. */
type WireError = { status: number; message: string; code?: string; parameter?: string };

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

type StatusFacts = { message: string; openaiType: string; openaiCode: string | null; anthropicType: string };

const INVALID = 'invalid_request_error';

/** What the real services say for a status: their types and codes, our words. */
const STATUS_FACTS: Record<number, StatusFacts> = {
  400: facts('The request is not valid.', INVALID, null, INVALID),
  401: facts('The API key is not valid.', INVALID, 'invalid_api_key', 'authentication_error'),
  402: facts('The account has no credit left.', 'insufficient_quota', 'insufficient_quota', 'billing_error'),
  403: facts('The API key may not do this.', INVALID, 'permission_denied', 'permission_error'),
  404: facts('The model does not exist.', INVALID, 'model_not_found', 'not_found_error'),
  408: facts('The request took too long.', 'timeout', 'request_timeout', 'timeout_error'),
  413: facts('The request is too large.', INVALID, 'request_too_large', 'request_too_large'),
  422: facts('The request cannot be processed.', INVALID, null, INVALID),
  429: facts('Too many requests.', 'requests', 'rate_limit_exceeded', 'rate_limit_error'),
  500: facts('The server had an error.', 'server_error', null, 'api_error'),
  502: facts('The server behind the gateway gave a bad answer.', 'server_error', null, 'api_error'),
  503: facts('The service is overloaded.', 'server_error', 'service_unavailable', 'overloaded_error'),
  504: facts('The server behind the gateway did not answer.', 'server_error', 'timeout', 'timeout_error'),
  529: facts('The service is overloaded.', 'server_error', 'overloaded', 'overloaded_error'),
};

function facts(message: string, openaiType: string, openaiCode: string | null, anthropicType: string): StatusFacts {
  return { message, openaiType, openaiCode, anthropicType };
}

function statusFacts(status: number): StatusFacts {
  return STATUS_FACTS[status] ?? (STATUS_FACTS[status >= 500 ? 500 : 400] as StatusFacts);
}

export function defaultErrorMessage(status: number): string {
  return statusFacts(status).message;
}

/** `error` as OpenAI and those who follow it write it. */
export function openaiError(error: WireError): JsonObject {
  const { openaiType, openaiCode } = statusFacts(error.status);
  return {
    message: error.message,
    type: openaiType,
    param: error.parameter ?? null,
    code: error.code ?? openaiCode,
  };
}

export function anthropicErrorBody(error: WireError): JsonObject {
  const type = error.code ?? statusFacts(error.status).anthropicType;
  return { type: 'error', error: { type, message: error.message } };
}

/** Words and nothing else; a code of the script is put into them, because there is no other place. */
export function ollamaErrorBody({ message, code }: WireError): JsonObject {
  return { error: code === undefined ? message : `${message} (${code})` };
}
