import type { JsonObject, Usage } from '../../../base/index.ts';
import { chunkText, type PlannedReply } from '../../reply.ts';
import type { ReceivedHistory, ReceivedMessage, TypedData, WireContext, WireEvent, WireStream } from '../wire.ts';
import { asObjects, asText, newMessage, readContent, readMessageParts } from './read-parts.ts';

type Item = { item: JsonObject; place: string };

/**
 * Converts the flat list of items back into messages: consecutive reasoning, text and calls are one assistant
 * message.
 */
export function readResponses(body: JsonObject): ReceivedHistory {
  const history: ReceivedHistory = {
    system: asText(body.instructions),
    messages: [],
    toolNames: asObjects(body.tools).map((tool) => asText(tool.name)),
    faults: [],
  };
  if (typeof body.input === 'string') history.messages.push(newMessage('input', 'user', body.input));
  const items = asObjects(body.input).map((item, index) => ({ item, place: `input.${index}` }));
  items.forEach((entry, index) => {
    readItem(entry, history);
    if (entry.item.type === 'reasoning') checkReasoning(entry, items[index + 1], history.faults);
  });
  return history;
}

function readItem({ item, place }: Item, history: ReceivedHistory): void {
  const type = asText(item.type) || 'message';
  if (type === 'message') {
    readMessage(item, place, history);
  } else if (type === 'reasoning') {
    const summary = asObjects(item.summary).map((part) => asText(part.text));
    openAssistant(place, history).reasoning += summary.join('\n') || '[reasoning]';
  } else if (type === 'function_call') {
    const call = { id: asText(item.call_id), name: asText(item.name), arguments: asText(item.arguments) };
    openAssistant(place, history).toolCalls.push(call);
  } else if (type === 'function_call_output') {
    const result = readMessageParts('tool', item.output, place, history.faults);
    history.messages.push({ ...result, toolCallId: asText(item.call_id) });
  } else {
    history.faults.push(`${place}: unknown item type "${type}"`);
  }
}

function readMessage(item: JsonObject, location: string, history: ReceivedHistory): void {
  const role = asText(item.role);
  if (role === 'user') {
    history.messages.push(readMessageParts('user', item.content, location, history.faults));
    return;
  }
  const text = readContent(item.content, location, history.faults);
  if (role === 'system' || role === 'developer') {
    if (history.messages.length > 0) history.faults.push(`${location}: a ${role} message must come first`);
    history.system += history.system === '' ? text : `\n\n${text}`;
  } else if (role === 'assistant') {
    addAssistantText(text, location, history);
  } else {
    history.faults.push(`${location}: unknown role "${role}"`);
  }
}

function addAssistantText(text: string, location: string, history: ReceivedHistory): void {
  const last = history.messages.at(-1);
  // Only reasoning may precede the text of the same message; after anything else a new message starts.
  const opened = last?.role === 'assistant' && last.text === '' && last.toolCalls.length === 0 && last.reasoning !== '';
  if (opened) last.text = text;
  else history.messages.push(newMessage(location, 'assistant', text));
}

/** The current assistant message, or a new one. */
function openAssistant(location: string, history: ReceivedHistory): ReceivedMessage {
  const last = history.messages.at(-1);
  if (last?.role === 'assistant') return last;
  const message = newMessage(location, 'assistant');
  history.messages.push(message);
  return message;
}

/** The service rejects a reasoning item without the item that it led to. */
function checkReasoning({ item, place }: Item, next: Item | undefined, faults: string[]): void {
  if (!Array.isArray(item.summary)) faults.push(`${place}: a reasoning item needs a summary list`);
  const type = asText(next?.item.type) || 'message';
  const belongs = type === 'reasoning' || type === 'function_call' || next?.item.role === 'assistant';
  if (!belongs) faults.push(`${place}: a reasoning item must be followed by the item it led to`);
}

export function encodeResponsesWhole(reply: PlannedReply, context: WireContext): JsonObject {
  return encodeResponse(reply, context, statusOf(reply), encodeItems(reply, context));
}

/** The last event repeats the complete response: the official client builds its result from it. */
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

/** The real service sends both the error and the failed response. */
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

/** This API has no finish reason: it has a status and, for an incomplete response, a reason. */
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

/** As in chat completions, input tokens include cached tokens. */
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

/** A complete item, its start event, and the events in between. */
type Streamed = { item: JsonObject; begun: JsonObject; steps: TypedData[] };

/** The complete output items of a response. */
function encodeItems(reply: PlannedReply, context: WireContext): JsonObject[] {
  return streamedItems(reply, context).map(({ item }) => item);
}

/** The events that build those items chunk by chunk. */
function encodeItemEvents(reply: PlannedReply, context: WireContext): TypedData[] {
  return streamedItems(reply, context).flatMap(({ item, begun, steps }, index) => [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...steps.map((step) => ({ ...step, item_id: item.id ?? '', output_index: index })),
    { type: 'response.output_item.done', output_index: index, item },
  ]);
}

function streamedItems(reply: PlannedReply, context: WireContext): Streamed[] {
  const items: Streamed[] = [];
  if (reply.reasoning !== '') items.push(reasoningItem(reply, `rs_${context.id}`));
  if (reply.text !== '') items.push(messageItem(reply, `msg_${context.id}`));
  reply.toolCalls.forEach((_call, index) => {
    items.push(callItem(reply, index, `fc_${context.id}_${index}`));
  });
  return items;
}

function reasoningItem(reply: PlannedReply, id: string): Streamed {
  const part = { type: 'summary_text', text: reply.reasoning };
  // Opaque like the real field, and different for different reasoning.
  const encrypted = Buffer.from(`encrypted:${reply.reasoning}`).toString('base64');
  const begun = { id, type: 'reasoning', summary: [], encrypted_content: '' };
  return {
    item: { ...begun, summary: [part], encrypted_content: encrypted },
    begun,
    steps: [
      { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { ...part, text: '' } },
      ...chunkText(reply.reasoning, reply.chunkSize).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        summary_index: 0,
        delta,
      })),
      { type: 'response.reasoning_summary_text.done', summary_index: 0, text: reply.reasoning },
      { type: 'response.reasoning_summary_part.done', summary_index: 0, part },
    ],
  };
}

/** A refusal is a separate kind of part here, with its own events. */
function messageItem(reply: PlannedReply, id: string): Streamed {
  const refused = reply.finishReason === 'refusal';
  const kind = refused ? 'refusal' : 'output_text';
  const toPart = (text: string): JsonObject =>
    refused ? { type: kind, refusal: text } : { type: kind, text, annotations: [], logprobs: [] };
  const begun = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const part = toPart(reply.text);
  const done: JsonObject = refused ? { refusal: reply.text } : { text: reply.text, logprobs: [] };
  return {
    item: { ...begun, status: itemStatus(reply), content: [part] },
    begun,
    steps: [
      { type: 'response.content_part.added', content_index: 0, part: toPart('') },
      ...chunkText(reply.text, reply.chunkSize).map((delta) => ({
        type: `response.${kind}.delta`,
        content_index: 0,
        delta,
        ...(refused ? {} : { logprobs: [] }),
      })),
      { type: `response.${kind}.done`, content_index: 0, ...done },
      { type: 'response.content_part.done', content_index: 0, part },
    ],
  };
}

/** Two ids: `id` names the item, `call_id` links the call to its result. */
function callItem(reply: PlannedReply, index: number, id: string): Streamed {
  const { id: callId = '', name = '', arguments: text = '' } = reply.toolCalls[index] ?? {};
  const begun = { id, type: 'function_call', call_id: callId, name, arguments: '', status: 'in_progress' };
  return {
    item: { ...begun, arguments: text, status: itemStatus(reply) },
    begun,
    steps: [
      ...chunkText(text, reply.chunkSize).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', name, arguments: text },
    ],
  };
}

function itemStatus(reply: PlannedReply): string {
  return reply.finishReason === 'length' ? 'incomplete' : 'completed';
}
