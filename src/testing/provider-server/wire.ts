import type { JsonObject, JsonValue } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import type { PlannedReply } from '../reply.ts';

/** One event of a stream before serialization. */
export type WireEvent = { event?: string; data: JsonObject | string };

/** Event data with a `type` field. */
export type TypedData = { type: string; [key: string]: JsonValue };

/** The events of a response; those in `finish` contain the finish reason. */
export type WireStream = { content: WireEvent[]; finish: WireEvent[] };

/** The facts about the request that an encoder needs. */
export type WireContext = { id: string; model: string; includeUsage: boolean };

/** An error in the terms of a provider. */
type WireError = { status: number; message: string; code?: string; parameter?: string };

export type ReceivedToolCall = { id: string; name: string; arguments: string };

/** An image or file of a user message. Media type and name are empty if the API mode has no field for them. */
export type ReceivedAttachment = { kind: 'image' | 'document'; mediaType: string; name: string; bytes: Buffer };

/** One message of a request, in the same format for every API mode. */
export type ReceivedMessage = {
  /** The path in the body, e.g. `messages.3`. */
  place: string;
  role: 'user' | 'assistant' | 'tool';
  /** Parts that are neither text nor an attachment are shown as `[type]`. */
  text: string;
  /** The attachments of a user message or a tool result, in order. */
  attachments: ReceivedAttachment[];
  reasoning: string;
  toolCalls: ReceivedToolCall[];
  /** The id of the call that a tool message answers. */
  toolCallId: string;
};

/** A parsed request body, and format violations that a strict provider would reject. */
export type ReceivedHistory = { system: string; messages: ReceivedMessage[]; toolNames: string[]; faults: string[] };

/** The server side of one API mode. */
export type WireMode = {
  apiMode: ApiMode;
  /** The end of the request path. */
  pathEnd: string;
  /** The framing of a stream; default: server-sent events. */
  framing?: 'ndjson';
  read(body: JsonObject): ReceivedHistory;
  encodeWhole(reply: PlannedReply, context: WireContext): JsonObject;
  encodeStream(reply: PlannedReply, context: WireContext): WireStream;
  errorBody(error: WireError): JsonObject;
  /** The same error inside a stream that has already started. */
  errorEvents(error: WireError, context: WireContext): WireEvent[];
};

/** Serializes an event as a server-sent event or as a line. */
export function serialiseEvent(event: WireEvent, framing: WireMode['framing']): string {
  const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data);
  if (framing === 'ndjson') return `${data}\n`;
  return `${event.event === undefined ? '' : `event: ${event.event}\n`}data: ${data}\n\n`;
}

type StatusFacts = { message: string; openaiType: string; openaiCode: string | null; anthropicType: string };

const INVALID = 'invalid_request_error';

/** The error types and codes of the real services by status, with messages of our own. */
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

/** The `error` object of OpenAI and compatible APIs. */
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

/** Ollama's error format has only a message, so a code from the script is appended to it. */
export function ollamaErrorBody({ message, code }: WireError): JsonObject {
  return { error: code === undefined ? message : `${message} (${code})` };
}
