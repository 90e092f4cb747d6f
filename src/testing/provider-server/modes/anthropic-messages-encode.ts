import { isJsonObject, type JsonObject, type Usage } from '../../../base/index.ts';
import { chunkText, type PlannedReply } from '../../reply/index.ts';
import type { TypedData, WireContext, WireEvent, WireStream } from '../wire.ts';

/** This API tells a filtered answer and a refusal in the same way. */
const STOP_REASONS = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  refusal: 'refusal',
} as const;

/** A block as it is in the end, as it is announced, and the deltas in between. */
type Block = { block: JsonObject; begun: JsonObject; deltas: JsonObject[] };

export function encodeAnthropicWhole(reply: PlannedReply, context: WireContext): JsonObject {
  const content = encodeBlocks(reply).map(({ block }) => block);
  return { ...envelope(context), content, stop_reason: stopReason(reply), usage: encodeUsage(reply.usage) };
}

export function encodeAnthropicStream(reply: PlannedReply, context: WireContext): WireStream {
  // The input is known at the start; what was written is told at the end.
  const message = { ...envelope(context), usage: encodeUsage({ ...reply.usage, output: 1 }) };
  const blocks = encodeBlocks(reply).flatMap(({ begun, deltas }, index): TypedData[] => [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  const delta = { stop_reason: stopReason(reply), stop_sequence: null };
  const content: TypedData[] = [{ type: 'message_start', message }, { type: 'ping' }, ...blocks];
  const finish: TypedData[] = [
    { type: 'message_delta', delta, usage: { output_tokens: reply.usage.output } },
    { type: 'message_stop' },
  ];
  return { content: content.map(toEvent), finish: finish.map(toEvent) };
}

function toEvent(data: TypedData): WireEvent {
  return { event: data.type, data };
}

function encodeBlocks(reply: PlannedReply): Block[] {
  const blocks: Block[] = [];
  if (reply.reasoning !== '') blocks.push(thinkingBlock(reply));
  if (reply.text !== '') blocks.push(textBlock(reply));
  for (const { id, name, arguments: text } of reply.toolCalls) {
    const begun = { type: 'tool_use', id, name, input: {} };
    const deltas = chunkText(text, reply.chunkSize).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
    blocks.push({ block: { ...begun, input: parseInput(text) }, begun, deltas });
  }
  return blocks;
}

function thinkingBlock(reply: PlannedReply): Block {
  const begun = { type: 'thinking', thinking: '', signature: '' };
  // Opaque, and different for different thinking, so that a mix-up shows.
  const signature = Buffer.from(`signature:${reply.reasoning}`).toString('base64');
  const deltas: JsonObject[] = chunkText(reply.reasoning, reply.chunkSize).map((thinking) => ({
    type: 'thinking_delta',
    thinking,
  }));
  deltas.push({ type: 'signature_delta', signature });
  return { block: { ...begun, thinking: reply.reasoning, signature }, begun, deltas };
}

function textBlock(reply: PlannedReply): Block {
  const begun = { type: 'text', text: '' };
  const deltas = chunkText(reply.text, reply.chunkSize).map((text) => ({ type: 'text_delta', text }));
  return { block: { ...begun, text: reply.text }, begun, deltas };
}

/** A whole answer carries arguments as an object, so text that is none (a cut call) cannot be sent in it. */
function parseInput(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function stopReason(reply: PlannedReply): string | null {
  return reply.finishReason === undefined ? null : STOP_REASONS[reply.finishReason];
}

function envelope(context: WireContext): JsonObject {
  return {
    id: `msg_${context.id}`,
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** Three separate counts for the input, as in our own figures. */
function encodeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}
