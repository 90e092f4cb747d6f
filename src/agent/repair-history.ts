import type { AssistantMessage, Message, ToolCall, ToolMessage, UserMessage } from '../base/index.ts';
import { cleanSurrogates } from '../util/index.ts';

const MISSING_RESULT = 'No result was recorded for this call.';
const MISSING_START: UserMessage = { role: 'user', content: '(The beginning of this conversation is missing.)' };
const MISSING_ANSWER: AssistantMessage = { role: 'assistant', content: '(This message was not answered.)' };

/**
 * Returns a copy of the history that every provider accepts: user and assistant messages alternate, each tool call is
 * followed by exactly one result in call order, no message is empty, and text is trimmed and well-formed. Valid
 * messages are returned as the same objects, so that encoders can cache their encoding.
 */
export function repairHistory(history: readonly Message[]): Message[] {
  const repaired: Message[] = [];
  addRepaired(repaired, history);
  return repaired;
}

/**
 * Repairs the messages that follow an already repaired history and adds them. Only the last repaired message can
 * change. The first new message must not be a tool result, which belongs to the call before it.
 */
export function addRepaired(repaired: Message[], added: readonly Message[]): void {
  let index = 0;
  while (index < added.length) {
    const message = added[index] as Message;
    index += 1;
    if (message.role === 'tool') continue; // A result without a call; other results are added with their call.
    if (message.role === 'user') {
      addUser(repaired, cleanUser(message));
      continue;
    }
    const results = resultsAfter(added, index);
    index += results.length;
    addAssistant(repaired, cleanAssistant(message), results);
  }
}

function resultsAfter(history: readonly Message[], start: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let index = start; index < history.length; index += 1) {
    const message = history[index] as Message;
    if (message.role !== 'tool') break;
    results.push(message);
  }
  return results;
}

function addUser(target: Message[], message: UserMessage): void {
  if (message.content === '') return;
  // Do not merge it into the previous user message: that was already sent as it is, and a cached prefix ends with it.
  if (target.at(-1)?.role === 'user') target.push(MISSING_ANSWER);
  target.push(message);
}

function addAssistant(target: Message[], message: AssistantMessage, results: readonly ToolMessage[]): void {
  const calls = message.toolCalls ?? [];
  if (message.content === '' && calls.length === 0) return;
  if (target.length === 0) target.push(MISSING_START);
  const previous = target.at(-1);
  if (previous?.role === 'assistant') target[target.length - 1] = joinAssistants(previous, message);
  else target.push(message);
  for (const call of calls) target.push(cleanResult(call, results));
}

/** Joins two consecutive assistant messages. The first has no calls, because its results would be between them. */
function joinAssistants(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const content = [first.content, second.content].filter((text) => text !== '').join('\n\n');
  return { ...second, content };
}

function cleanResult(call: ToolCall, results: readonly ToolMessage[]): ToolMessage {
  const result = results.find((candidate) => candidate.toolCallId === call.id);
  if (!result) return { role: 'tool', toolCallId: call.id, toolName: call.name, content: MISSING_RESULT };
  const content = cleanSurrogates(result.content);
  if (content === result.content && content !== '') return result;
  return { ...result, content: content === '' ? '(no output)' : content };
}

function cleanUser(message: UserMessage): UserMessage {
  const content = cleanText(message.content);
  const sentContent = message.sentContent === undefined ? undefined : cleanText(message.sentContent);
  if (content === message.content && sentContent === message.sentContent) return message;
  return { ...message, content, ...(sentContent === undefined ? {} : { sentContent }) };
}

function cleanAssistant(message: AssistantMessage): AssistantMessage {
  const content = cleanText(message.content);
  const toolCalls = message.toolCalls && cleanCalls(message.toolCalls);
  if (content === message.content && toolCalls === message.toolCalls) return message;
  return { ...message, content, ...(toolCalls === undefined ? {} : { toolCalls }) };
}

/** Tool names that providers accept. A single invalid name makes them reject the whole history. */
const SENDABLE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

function cleanCalls(calls: ToolCall[]): ToolCall[] {
  if (calls.every(isSendable) && haveDifferentIds(calls)) return calls;
  return calls
    .filter((call, index) => calls.findIndex((other) => other.id === call.id) === index)
    .map((call) => (isSendable(call) ? call : { ...call, ...sendable(call) }));
}

function haveDifferentIds(calls: readonly ToolCall[]): boolean {
  return calls.length === 1 || new Set(calls.map(({ id }) => id)).size === calls.length;
}

function isSendable(call: ToolCall): boolean {
  return SENDABLE_NAME.test(call.name) && call.arguments.isWellFormed();
}

function sendable(call: ToolCall): Pick<ToolCall, 'name' | 'arguments'> {
  const name = call.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
  return { name, arguments: cleanSurrogates(call.arguments) };
}

function cleanText(text: string): string {
  return cleanSurrogates(text).trim();
}
