import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { type ChatMessage, isEmpty } from '../chat/chat-request.ts';
import { readContent } from '../chat/read-content.ts';
import { invalid } from '../read-fields.ts';

/** The input of a request. Reasoning and calls of the agent are ignored: the session has them. */
export type ResponseInput = {
  /** The messages of the roles `system` and `developer`. */
  instructions: string[];
  /** What was said before, as the client knows it. */
  history: ChatMessage[];
  /** The messages of the user at the end. */
  message: ChatMessage[];
  /** What the client returned for the calls at the end of the last response, by the id of the call. */
  results: ReadonlyMap<string, string>;
  /** All that the user has said, as far as the client sends it. */
  saidByUser: ChatMessage[];
  /** The id of the last item that the client refers to. What was said before that item is known to the server. */
  reference: string | undefined;
};

type Entry = ChatMessage | { role: 'system'; text: string } | { reference: string };

const MAX_ITEMS = 5000;

/**
 * Reads `input`, and `conversation_history`, in which clients of the original send what was said before. Throws
 * `HttpError` if one of them has another shape.
 */
export function readInput(input: JsonValue | undefined, earlier: JsonValue = []): ResponseInput {
  const read = [...readItems(earlier, 'conversation_history'), ...readItems(input, 'input')];
  const instructions = read.flatMap((entry) => ('role' in entry && entry.role === 'system' ? [entry.text] : []));
  const last = read.findLastIndex((entry) => 'reference' in entry);
  const referring = read[last];
  const messages = groupCalls(read.slice(last + 1).filter(isMessage));
  const start = messages.findLastIndex(({ role }) => role !== 'user') + 1;
  const results = readResults(messages);
  if (start === messages.length && results.size === 0)
    throw invalid('input', 'must end with a message of the user or the output of a call');
  if (start < messages.length && messages.slice(start).every(isEmpty))
    throw invalid('input', 'must end with text, an image or a file');
  return {
    results,
    saidByUser: read.filter(isMessage).filter(({ role }) => role === 'user'),
    instructions: instructions.filter((text) => text.trim() !== ''),
    history: messages.slice(0, start),
    message: messages.slice(start),
    reference: referring !== undefined && 'reference' in referring ? referring.reference : undefined,
  };
}

/** The outputs after the last message or call of the assistant. */
function readResults(messages: readonly ChatMessage[]): Map<string, string> {
  const last = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  return new Map(
    last.flatMap(({ toolCallId, text }) => (toolCallId === undefined ? [] : [[toolCallId, text] as const])),
  );
}

/** Reads the items that are added to a conversation. They are stored, so they must be messages or calls. */
export function readStoredItems(items: JsonValue | undefined): ChatMessage[] {
  if (!Array.isArray(items)) throw invalid('items', 'must be a list of items');
  const read = readItems(items, 'items');
  const other = read.findIndex((entry) => !isMessage(entry));
  if (other >= 0) {
    const hint = 'Pass instructions with each response instead';
    throw invalid(`items.${other}`, `must be a message of the user or the assistant, a call or its output. ${hint}`);
  }
  return groupCalls(read.filter(isMessage));
}

const isMessage = (entry: Entry): entry is ChatMessage => 'role' in entry && entry.role !== 'system';

function readItems(input: JsonValue | undefined, field: string): Entry[] {
  if (typeof input === 'string') return [message('user', { text: input, files: [] })];
  if (!Array.isArray(input)) throw invalid(field, 'must be a text or a list of items');
  if (input.length > MAX_ITEMS) throw invalid(field, `has more than ${MAX_ITEMS} items`);
  return input.flatMap((item, index) => readItem(item, `${field}.${index}`));
}

function readItem(item: JsonValue, field: string): Entry[] {
  if (!isJsonObject(item)) throw invalid(field, 'must be an object');
  const { type = item['role'] === undefined ? 'item_reference' : 'message' } = item;
  switch (type) {
    case 'message':
      return [readMessage(item, field)];
    case 'function_call':
      return [message('assistant', { text: '', files: [] }, { toolCalls: [readCall(item, field)] })];
    case 'function_call_output': {
      const toolCallId = readText(item, 'call_id', field);
      return [message('tool', readContent(item['output'], `${field}.output`), { toolCallId })];
    }
    case 'item_reference':
      return [{ reference: readText(item, 'id', field) }];
    // Both are for the model that wrote them, and the server has them.
    case 'reasoning':
    case 'mcp_call':
      return [];
    default:
      throw invalid(
        `${field}.type`,
        `is ${JSON.stringify(type)}; messages, function calls and their outputs are supported`,
      );
  }
}

function readMessage(item: JsonObject, field: string): Entry {
  const content = readContent(item['content'], `${field}.content`);
  const { role } = item;
  if (role === 'system' || role === 'developer') return { role: 'system', text: content.text };
  if (role === 'user' || role === 'assistant') return message(role, content);
  throw invalid(`${field}.role`, 'must be user, assistant, system or developer');
}

function readCall(item: JsonObject, field: string): ChatMessage['toolCalls'][number] {
  const [id, name] = [readText(item, 'call_id', field), readText(item, 'name', field)];
  return { id, name, arguments: readText(item, 'arguments', field) };
}

function readText(item: JsonObject, key: string, field: string): string {
  const value = item[key];
  if (typeof value !== 'string') throw invalid(`${field}.${key}`, 'must be text');
  return value;
}

function message(
  role: ChatMessage['role'],
  content: Pick<ChatMessage, 'text' | 'files'>,
  more: Partial<Pick<ChatMessage, 'toolCalls' | 'toolCallId'>> = {},
): ChatMessage {
  return { role, ...content, toolCalls: more.toolCalls ?? [], toolCallId: more.toolCallId };
}

/** An answer of the assistant is one message, and here an item for its text and one for each call. */
function groupCalls(messages: readonly ChatMessage[]): ChatMessage[] {
  const grouped: ChatMessage[] = [];
  for (const each of messages) {
    const last = grouped.at(-1);
    const isCall = each.role === 'assistant' && each.toolCalls.length > 0;
    if (isCall && last?.role === 'assistant')
      grouped[grouped.length - 1] = { ...last, toolCalls: [...last.toolCalls, ...each.toolCalls] };
    else grouped.push(each);
  }
  return grouped;
}
