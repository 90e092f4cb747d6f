import { isJsonObject, type JsonObject, type Usage } from '../../../base/index.ts';
import { chunkText, type PlannedReply } from '../../reply.ts';
import type {
  ReceivedHistory,
  ReceivedMessage,
  ReceivedToolCall,
  WireContext,
  WireEvent,
  WireStream,
} from '../wire.ts';
import { asObjects, asText, newMessage, readChatForm, readContent, readMessageParts } from './read-parts.ts';

export function readChat(body: JsonObject): ReceivedHistory {
  return readChatForm(body, readMessage);
}

function readMessage(message: JsonObject, location: string, history: ReceivedHistory): void {
  const role = asText(message.role);
  if (role === 'user') {
    history.messages.push(readMessageParts('user', message.content, location, history.faults));
    return;
  }
  const text = readContent(message.content, location, history.faults);
  if (role === 'system' || role === 'developer') {
    if (history.messages.length > 0) history.faults.push(`${location}: a ${role} message must come first`);
    history.system += history.system === '' ? text : `\n\n${text}`;
  } else if (role === 'assistant') {
    history.messages.push(readAssistant(message, location, text));
  } else if (role === 'tool') {
    history.messages.push({ ...newMessage(location, 'tool', text), toolCallId: asText(message.tool_call_id) });
  } else {
    history.faults.push(`${location}: unknown role "${role}"`);
  }
}

/** Reasoning that a client sends back, in either of the two common fields. */
function readAssistant(message: JsonObject, location: string, text: string): ReceivedMessage {
  const details = message.reasoning_details;
  const reasoning = asText(message.reasoning_content) || (details === undefined ? '' : JSON.stringify(details));
  const toolCalls = asObjects(message.tool_calls).map(readCall);
  return { ...newMessage(location, 'assistant', text || asText(message.refusal)), reasoning, toolCalls };
}

function readCall(call: JsonObject): ReceivedToolCall {
  const target = isJsonObject(call.function) ? call.function : {};
  return { id: asText(call.id), name: asText(target.name), arguments: asText(target.arguments) };
}

/** `chat.completion`: the content is null if there is none, as for tool calls alone. */
export function encodeChatWhole(reply: PlannedReply, context: WireContext): JsonObject {
  const message: JsonObject = { role: 'assistant', content: null, refusal: null };
  if (reply.text !== '') message[textField(reply)] = reply.text;
  if (reply.reasoning !== '') message.reasoning_content = reply.reasoning;
  if (reply.toolCalls.length > 0) {
    message.tool_calls = reply.toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    }));
  }
  return {
    ...envelope('chat.completion', context),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
    usage: encodeUsage(reply.usage),
  };
}

export function encodeChatStream(reply: PlannedReply, context: WireContext): WireStream {
  const chunk = (choices: JsonObject[], more: JsonObject = {}): WireEvent => ({
    data: { ...envelope('chat.completion.chunk', context), choices, ...more },
  });
  const choice = (delta: JsonObject, reason: string | null = null): JsonObject => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason: reason,
  });
  const finish = [chunk([choice({}, finishReason(reply))])];
  // Like the real service, usage is only sent on request.
  if (context.includeUsage) finish.push(chunk([], { usage: encodeUsage(reply.usage) }));
  finish.push({ data: '[DONE]' });
  return { content: encodeDeltas(reply).map((delta) => chunk([choice(delta)])), finish };
}

/** The role comes first and alone; a call starts with its id and name, then its arguments follow by index. */
function encodeDeltas(reply: PlannedReply): JsonObject[] {
  const pieces = (text: string) => chunkText(text, reply.chunkSize);
  const content = reply.text !== '' && textField(reply) === 'content' ? '' : null;
  return [
    { role: 'assistant', content },
    ...pieces(reply.reasoning).map((piece) => ({ reasoning_content: piece })),
    ...pieces(reply.text).map((piece) => ({ [textField(reply)]: piece })),
    ...reply.toolCalls.flatMap(({ id, name, arguments: text }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...pieces(text).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

/** This API has no finish reason for a refusal: the text is in another field. */
function textField(reply: PlannedReply): 'refusal' | 'content' {
  return reply.finishReason === 'refusal' ? 'refusal' : 'content';
}

function finishReason(reply: PlannedReply): string | null {
  return reply.finishReason === 'refusal' ? 'stop' : (reply.finishReason ?? null);
}

function envelope(object: string, context: WireContext): JsonObject {
  return {
    id: `chatcmpl-${context.id}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: context.model,
    system_fingerprint: null,
  };
}

/** Prompt tokens include cached tokens here, unlike in our own usage. */
function encodeUsage(usage: Usage): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const details: JsonObject = { cached_tokens: usage.cacheRead };
  // A field of OpenRouter; OpenAI itself does not report this.
  if (usage.cacheWrite > 0) details.cache_write_tokens = usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: details,
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}
