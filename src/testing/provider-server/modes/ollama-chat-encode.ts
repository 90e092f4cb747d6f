import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { chunkText, type PlannedReply } from '../../reply/index.ts';
import type { WireContext, WireEvent, WireStream } from '../wire.ts';

/** The whole message and the figures in one object. */
export function encodeOllamaWhole(reply: PlannedReply, context: WireContext): JsonObject {
  const message: JsonObject = { role: 'assistant', content: reply.text };
  if (reply.reasoning !== '') message.thinking = reply.reasoning;
  if (reply.toolCalls.length > 0) message.tool_calls = encodeCalls(reply);
  return { ...envelope(context), message, ...encodeEnd(reply) };
}

/** A line per piece; calls always come whole, and the last line has nothing to say but the figures. */
export function encodeOllamaStream(reply: PlannedReply, context: WireContext): WireStream {
  const line = (message: JsonObject, more: JsonObject = { done: false }): WireEvent => ({
    data: { ...envelope(context), message: { role: 'assistant', content: '', ...message }, ...more },
  });
  const pieces = (text: string) => chunkText(text, reply.chunkSize);
  return {
    content: [
      ...pieces(reply.reasoning).map((thinking) => line({ thinking })),
      ...pieces(reply.text).map((content) => line({ content })),
      ...encodeCalls(reply).map((call) => line({ tool_calls: [call] })),
    ],
    finish: [line({}, encodeEnd(reply))],
  };
}

function encodeCalls(reply: PlannedReply): JsonObject[] {
  return reply.toolCalls.map(({ id, name, arguments: text }, index) => ({
    id,
    function: { index, name, arguments: objectOr(text) },
  }));
}

/** Arguments are objects here; what cannot be one is left as it is, for tests of just that. */
function objectOr(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}

function envelope(context: WireContext): JsonObject {
  return { model: context.model, created_at: new Date().toISOString() };
}

/** The API knows two reasons only: everything that is no limit is a stop. */
function encodeEnd(reply: PlannedReply): JsonObject {
  const { finishReason, usage } = reply;
  if (finishReason === undefined) return { done: false };
  return {
    done: true,
    done_reason: finishReason === 'length' ? 'length' : 'stop',
    total_duration: 1_000_000,
    prompt_eval_count: usage.input + usage.cacheRead + usage.cacheWrite,
    eval_count: usage.output,
  };
}
