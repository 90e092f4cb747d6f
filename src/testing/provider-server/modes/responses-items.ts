import type { JsonObject } from '../../../base/index.ts';
import { chunkText, type PlannedReply } from '../../reply/index.ts';
import type { TypedData, WireContext } from '../wire.ts';

/** An item as it is in the end, as it is announced, and the events in between. */
type Streamed = { item: JsonObject; begun: JsonObject; steps: TypedData[] };

/** The finished output items of an answer. */
export function encodeItems(reply: PlannedReply, context: WireContext): JsonObject[] {
  return streamedItems(reply, context).map(({ item }) => item);
}

/** The events that build those items up, piece by piece. */
export function encodeItemEvents(reply: PlannedReply, context: WireContext): TypedData[] {
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
  // Nothing is hidden in it, but it is as opaque as the real thing and differs with the thinking.
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

/** A refusal is a part of its own kind here, with events of its own. */
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
