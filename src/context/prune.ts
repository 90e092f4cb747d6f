import {
  type AssistantMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  ownBlock,
  parseJson,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
} from '../base/index.ts';
import { truncateMiddle, takeStart } from '../util/index.ts';

const LONG_RESULT = 200;
const LONG_ARGUMENTS = 500;
const SHORT_ARGUMENTS = 200;

/**
 * Shortens old messages without a model. A long tool result becomes one line with the call, its size and whether a
 * later call returned the same; long arguments are shortened but stay valid JSON; attachments become a line. No
 * message is removed, so calls and results still match. With `numbers`, the line names the number of the message, so that
 * it can be read back.
 */
export function pruneMessages(messages: readonly Message[], numbers: readonly number[] = []): Message[] {
  const calls = new Map<string, ToolCall>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) calls.set(call.id, call);
  }
  const newest = new Map<string, number>();
  messages.forEach((message, index) => {
    if (message.role === 'tool') newest.set(message.content, index);
  });
  return messages.map((message, index) => {
    if (message.role === 'assistant') return pruneCalls(message);
    if (message.role === 'user') return pruneAttachments(message);
    const repeated = newest.get(message.content) !== index;
    return pruneResult(message, calls.get(message.toolCallId), { repeated, number: numbers[index] });
  });
}

/** Keeps only the start and the end of tool results that are longer than `limit`. */
export function cutLongResults(messages: readonly Message[], limit: number): Message[] {
  return messages.map((message) => {
    if (message.role !== 'tool' || message.content.length <= limit) return message;
    const { output, words } = splitSteering(message.content);
    return { ...message, content: truncateMiddle(output, limit) + words };
  });
}

/** Separates a tool result from what the user said during the call, which the result ends with. */
export function splitSteering(content: string): { output: string; words: string } {
  const said = ownBlock('steering').lastText(content);
  const words = said === undefined ? '' : ownBlock('steering').write(said);
  return { output: content.slice(0, content.length - words.length), words };
}

function pruneAttachments(message: UserMessage): UserMessage {
  const { attachments = [], ...rest } = message;
  if (attachments.length === 0) return message;
  const lines = attachments.map(({ name, description }) =>
    description === undefined ? `["${name}": omitted to save context]` : `["${name}", description: ${description}]`,
  );
  const text = [rest.sentContent ?? rest.content, ...lines].filter((part) => part !== '').join('\n\n');
  // `content` stays what the user wrote. Empty content is replaced by the text, because an empty message would be
  // dropped.
  return { ...rest, content: rest.content === '' ? text : rest.content, sentContent: text };
}

type ResultFacts = {
  /** A later call returned the same. */
  repeated: boolean;
  number: number | undefined;
};

/** Whether a message is a result that was pruned. */
export function isPruned(message: Message): boolean {
  return message.role === 'tool' && DESCRIPTION.test(message.content);
}

/** Whether a message is a result that pruning makes shorter. */
export function isPrunable(message: Message): boolean {
  if (message.role !== 'tool') return false;
  const isShort = message.content.length <= LONG_RESULT || DESCRIPTION.test(message.content);
  return !isShort || (message.attachments ?? []).length > 0;
}

function pruneResult(message: ToolMessage, call: ToolCall | undefined, facts: ResultFacts): ToolMessage {
  if (!isPrunable(message)) return message;
  const { attachments: _omitted, ...rest } = message;
  const { words } = splitSteering(message.content);
  return { ...rest, content: describeResult(message, call, facts) + words };
}

/**
 * Matches a result that is already pruned, so that repeated compressions leave it unchanged. Older versions wrote
 * "left out to save room".
 */
const DESCRIPTION =
  /^\[[^\n]{1,400}, (?:omitted to save context|left out to save room)(?:; a later call (?:returned|had) the same result)?(?:: message #\d+)?\](?:\n\n\[Message from|$)/;

function describeResult(message: ToolMessage, call: ToolCall | undefined, { repeated, number }: ResultFacts): string {
  const lines = message.content.split('\n').length;
  const images = message.attachments?.length ?? 0;
  const size = `${message.content.length} characters in ${counted(lines, 'line')}${images === 0 ? '' : ` and ${counted(images, 'image')}`}`;
  // The description is one line, by which it is recognised; some models write arguments in several.
  const what = call ? `${call.name} ${shorten(call.arguments.replaceAll(/\s*\n\s*/g, ' '), 120)}` : message.toolName;
  const rest = `omitted to save context${repeated ? '; a later call returned the same result' : ''}`;
  return `[${what}: ${size}, ${rest}${number === undefined ? '' : `: message #${number}`}]`.toWellFormed();
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function pruneCalls(message: AssistantMessage): AssistantMessage {
  if (!message.toolCalls?.some((call) => call.arguments.length > LONG_ARGUMENTS)) return message;
  const toolCalls = message.toolCalls.map((call) =>
    call.arguments.length > LONG_ARGUMENTS ? { ...call, arguments: shortenArguments(call.arguments) } : call,
  );
  return { ...message, toolCalls };
}

function shortenArguments(text: string): string {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed)) return '{}';
  try {
    return JSON.stringify(shortenProperties(parsed));
  } catch {
    // The value is nested so deeply that serialising it overflows the stack.
    return '{}';
  }
}

function shortenProperties(parsed: JsonObject): JsonObject {
  const share = Math.max(Math.floor(SHORT_ARGUMENTS / Math.max(Object.keys(parsed).length, 1)), 20);
  return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, shortenValue(value, share)]));
}

function shortenValue(value: JsonValue, share: number): JsonValue {
  if (typeof value === 'string') return shorten(value, share);
  const text = JSON.stringify(value);
  return text.length <= share ? value : shorten(text, share);
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${takeStart(text, limit)}… [${text.length - limit} more characters]`;
}
