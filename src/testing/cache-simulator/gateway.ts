import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { Fault } from '../reply.ts';

/** What a gateway does with cache markers: passes them on, drops them, or rejects the request. */
export type MarkerHandling = 'passed on' | 'dropped' | 'rejected';

/** The carriers of cache markers in chat completions: parts of a text, tool calls, and tool results. */
export type GatewayRules = Readonly<Record<'text' | 'calls' | 'results', MarkerHandling>>;

/** The gateway of a request: the body that it sends to the model, or the fault with which it rejects the request. */
export type Forwarded = { body: JsonObject } | { fault: Fault };

/** Simulates how a gateway translates the cache markers of a chat completion for the API of the model. */
export function forwardMarkers(body: JsonObject, rules: GatewayRules): Forwarded {
  const messages = asObjects(body.messages);
  const forwarded: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    const { tool_calls: calls, ...rest } = message;
    const [content, handling] = message.role === 'tool' ? [rest, rules.results] : [rest, rules.text];
    for (const [part, rule] of [
      [content, handling],
      [calls ?? null, rules.calls],
    ] as const) {
      if (rule === 'rejected' && hasMarker(part)) return { fault: rejectionOf(index, message) };
    }
    const kept = translate(content, handling) as JsonObject;
    forwarded.push(calls === undefined ? kept : { ...kept, tool_calls: translate(calls, rules.calls) });
  }
  return { body: { ...body, messages: forwarded } };
}

function rejectionOf(index: number, { role }: JsonObject): Fault {
  const block = role === 'tool' ? 'tool_result.content.0.text' : 'text';
  const message = `AnthropicException: messages.${index}.content.0.${block}.cache_control: Extra inputs are not permitted`;
  return { type: 'status', status: 400, message, code: 'invalid_request_error' };
}

function translate(value: JsonValue, handling: MarkerHandling): JsonValue {
  return handling === 'dropped' && hasMarker(value) ? withoutMarkers(value) : value;
}

function hasMarker(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasMarker);
  return isJsonObject(value) && (value.cache_control !== undefined || hasMarker(value.content ?? null));
}

function withoutMarkers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (!isJsonObject(value)) return value;
  const { cache_control: _, ...rest } = value;
  return rest.content === undefined ? rest : { ...rest, content: withoutMarkers(rest.content) };
}

function asObjects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
