import { isJsonObject, type JsonObject, type JsonValue, type Usage } from '../../../base/index.ts';
import { chunkText, type PlannedReply } from '../../reply.ts';
import type { ReceivedHistory, ReceivedMessage, TypedData, WireContext, WireEvent, WireStream } from '../wire.ts';
import { addUserPart, asObjects, asText, newMessage, readContent, readMessageParts, readPart } from './read-parts.ts';

export function readAnthropic(body: JsonObject): ReceivedHistory {
  const history: ReceivedHistory = {
    system: '',
    messages: [],
    toolNames: asObjects(body.tools).map((tool) => asText(tool.name)),
    faults: [],
  };
  history.system = readContent(body.system, 'system', history.faults);
  let previousRole = '';
  asObjects(body.messages).forEach((message, index) => {
    const location = `messages.${index}`;
    const role = asText(message.role);
    // Results and text of one user message become separate messages here, so consecutive user messages are checked
    // before that.
    const afterResults = previousRole === 'user' && history.messages.at(-1)?.role === 'tool';
    if (role === 'user' && afterResults) history.faults.push(`${location}: two user messages in a row`);
    if (role === 'user') readUser(message.content, location, history);
    else if (role === 'assistant') history.messages.push(readAssistant(message.content, location, history.faults));
    else history.faults.push(`${location}: unknown role "${role}"`);
    previousRole = role;
  });
  checkPrefill(history);
  return history;
}

/** Tool results become separate messages in the order of the blocks, so that a wrong order is detected later. */
function readUser(content: JsonValue | undefined, location: string, history: ReceivedHistory): void {
  const blocks = asObjects(content);
  if (blocks.length === 0) {
    history.messages.push(newMessage(location, 'user', asText(content)));
    return;
  }
  let open: ReceivedMessage | undefined;
  blocks.forEach((block, index) => {
    const blockPlace = `${location}.content.${index}`;
    if (block.type === 'tool_result') {
      const result = readMessageParts('tool', block.content, blockPlace, history.faults);
      history.messages.push({ ...result, toolCallId: asText(block.tool_use_id) });
      return;
    }
    if (open === undefined) {
      open = newMessage(location, 'user');
      history.messages.push(open);
    }
    addUserPart(open, block, blockPlace, history.faults);
  });
}

function readAssistant(content: JsonValue | undefined, location: string, faults: string[]): ReceivedMessage {
  const message = newMessage(location, 'assistant', asText(content));
  const blocks = asObjects(content);
  blocks.forEach((block, index) => {
    readAssistantBlock(block, `${location}.content.${index}`, message, faults);
  });
  if (isThinking(blocks.at(-1)))
    faults.push(`${location}: the last block of an assistant message must not be thinking`);
  return message;
}

function readAssistantBlock(block: JsonObject, location: string, message: ReceivedMessage, faults: string[]): void {
  if (block.type === 'tool_use') {
    const call = { id: asText(block.id), name: asText(block.name), arguments: JSON.stringify(block.input ?? null) };
    message.toolCalls.push(call);
  } else if (block.type === 'thinking') {
    message.reasoning += asText(block.thinking);
    if (asText(block.signature) === '') faults.push(`${location}: a thinking block needs its signature`);
  } else if (block.type === 'redacted_thinking') {
    message.reasoning += '[redacted]';
  } else {
    message.text += readPart(block, location, faults);
  }
}

function isThinking(block: JsonObject | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

/** The service continues the last assistant message and rejects trailing whitespace in it. */
function checkPrefill(history: ReceivedHistory): void {
  const last = history.messages.at(-1);
  if (last?.role !== 'assistant' || last.toolCalls.length > 0) return;
  if (last.text !== last.text.trimEnd()) history.faults.push(`${last.place}: a prefill must not end in white space`);
}

/** This API has the same stop reason for a content filter and a refusal. */
const STOP_REASONS = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  refusal: 'refusal',
} as const;

/** A complete block, its start event, and the deltas in between. */
type Block = { block: JsonObject; begun: JsonObject; deltas: JsonObject[] };

export function encodeAnthropicWhole(reply: PlannedReply, context: WireContext): JsonObject {
  const content = encodeBlocks(reply).map(({ block }) => block);
  return { ...envelope(context), content, stop_reason: stopReason(reply), usage: encodeUsage(reply.usage) };
}

export function encodeAnthropicStream(reply: PlannedReply, context: WireContext): WireStream {
  // Input tokens are reported at the start, output tokens at the end.
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
  // Opaque, and different for different thinking, so that a mix-up is detected.
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

/** A response without streaming carries arguments as an object, so arguments that are not one cannot be sent in it. */
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

/** Three separate counts for the input, as in our own usage. */
function encodeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}
