import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import { findHistoryFaults, findMarkFaults } from './history-faults.ts';
import type { ReceivedMessage, WireMode } from './wire.ts';

/** A model request as the server received it: the bytes, the JSON, and a view that is the same for all API modes. */
export type ReceivedRequest = {
  /** From 1. */
  number: number;
  apiMode: ApiMode;
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  /** Empty if the body was not a JSON object. */
  body: JsonObject;
  model: string;
  stream: boolean;
  system: string;
  messages: ReceivedMessage[];
  toolNames: string[];
  toolResults: { id: string; content: string }[];
  lastUserText: string;
  /** The violations that a strict provider would reject; set even if the server is not strict. */
  faults: string[];
};

/** A request before its body is parsed. */
export type IncomingRequest = { number: number; path: string; headers: IncomingHttpHeaders; bytes: Buffer };

export function readRequest(mode: WireMode, arrival: IncomingRequest): ReceivedRequest {
  const { number, path, headers, bytes } = arrival;
  const rawBody = bytes.toString('utf8');
  const parsed = parseObject(rawBody);
  const body = parsed ?? {};
  const { system, messages, toolNames } = mode.read(body);
  const faults =
    parsed === undefined ? ['the body is not a JSON object'] : findRequestFaults(mode.apiMode, arrival, body);
  return {
    number,
    apiMode: mode.apiMode,
    path,
    headers,
    rawBody,
    body,
    model: typeof body.model === 'string' ? body.model : '',
    // Ollama streams by default.
    stream: mode.framing === 'ndjson' ? body.stream !== false : body.stream === true,
    system,
    messages,
    toolNames,
    toolResults: messages.filter(isResult).map(({ toolCallId, text }) => ({ id: toolCallId, content: text })),
    lastUserText: messages.findLast(({ role }) => role === 'user')?.text ?? '',
    faults,
  };
}

function isResult(message: ReceivedMessage): boolean {
  return message.role === 'tool';
}

/** Checks the history, and the few fields that every real service requires. */
function findRequestFaults(apiMode: ApiMode, { headers, bytes }: IncomingRequest, body: JsonObject): string[] {
  const faults = findHistoryFaults(apiMode, body);
  if (typeof body.model !== 'string' || body.model === '') faults.push('model: this field is required');
  // Bytes that are not UTF-8 were replaced when decoding, so re-encoding does not return the same bytes.
  if (!Buffer.from(bytes.toString('utf8')).equals(bytes)) faults.push('the body is not UTF-8');
  faults.push(...findMarkFaults(body));
  if (apiMode === 'anthropic_messages') {
    if (typeof body.max_tokens !== 'number') faults.push('max_tokens: this field is required');
    if (headers['anthropic-version'] === undefined) faults.push('anthropic-version: this header is required');
  }
  return faults;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
