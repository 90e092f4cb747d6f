import type { JsonObject, Usage } from '../../../base/index.ts';
import type { PlannedReply } from '../../reply/index.ts';
import type { TypedData, WireContext, WireEvent, WireStream } from '../wire.ts';
import { encodeItemEvents, encodeItems } from './responses-items.ts';

export function encodeResponsesWhole(reply: PlannedReply, context: WireContext): JsonObject {
  return encodeResponse(reply, context, statusOf(reply), encodeItems(reply, context));
}

/** The last event repeats the whole response: the official client builds its result from it. */
export function encodeResponsesStream(reply: PlannedReply, context: WireContext): WireStream {
  const begun = encodeResponse(reply, context, 'in_progress', []);
  const ended = encodeResponsesWhole(reply, context);
  const content: TypedData[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...encodeItemEvents(reply, context),
  ];
  const finish = [{ type: `response.${statusOf(reply)}`, response: ended }];
  const numbered = [...content, ...finish].map(toEvent);
  return { content: numbered.slice(0, content.length), finish: numbered.slice(content.length) };
}

/** The error itself, and then the response that failed: the real service sends both. */
export function encodeResponsesErrorEvents(error: JsonObject, context: WireContext): WireEvent[] {
  const { message = '', code = null } = error;
  const failure = { code: code ?? 'server_error', message };
  const response = { id: `resp_${context.id}`, object: 'response', status: 'failed', error: failure, output: [] };
  const events: TypedData[] = [
    { type: 'error', code, message, param: null },
    { type: 'response.failed', response },
  ];
  return events.map(toEvent);
}

function toEvent(data: TypedData, index: number): WireEvent {
  return { event: data.type, data: { ...data, sequence_number: index } };
}

/** This API has no finish reason: a status and, where it is not complete, a reason for that. */
function statusOf(reply: PlannedReply): 'completed' | 'incomplete' | 'in_progress' {
  if (reply.finishReason === undefined) return 'in_progress';
  return reply.finishReason === 'length' || reply.finishReason === 'content_filter' ? 'incomplete' : 'completed';
}

function encodeResponse(reply: PlannedReply, context: WireContext, status: string, output: JsonObject[]): JsonObject {
  const reason = reply.finishReason === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    id: `resp_${context.id}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    model: context.model,
    output,
    parallel_tool_calls: true,
    usage: status === 'in_progress' ? null : encodeUsage(reply.usage),
  };
}

/** As in chat completions, the input includes what came from the cache. */
function encodeUsage(usage: Usage): JsonObject {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  };
}
