import { createHash } from 'node:crypto';
import type { AssistantMessage, Attachment, Message, ToolCall, ToolMessage } from '../../../base/index.ts';
import type { StoredMessage } from '../../../contracts/index.ts';

/** The items of the Responses API that a turn or a history consists of. */
export type Item = MessageItem | ReasoningItem | CallItem | CallOutputItem | AgentCallItem;
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export type OutputText = { type: 'output_text'; text: string; annotations: never[]; logprobs: never[] };
export type InputText = { type: 'input_text'; text: string };
export type InputImage = { type: 'input_image'; detail: 'auto'; file_id: string; image_url: string | null };
export type InputFile = { type: 'input_file'; file_id: string; filename: string };
export type InputPart = InputText | InputImage | InputFile;

export type MessageItem = { id: string; type: 'message'; status: ItemStatus } & (
  | { role: 'assistant'; content: OutputText[] }
  | { role: 'user'; content: InputPart[] }
);
export type ReasoningItem = {
  id: string;
  type: 'reasoning';
  status: ItemStatus;
  summary: { type: 'summary_text'; text: string }[];
};
export type CallItem = {
  id: string;
  type: 'function_call';
  status: ItemStatus;
  call_id: string;
  name: string;
  arguments: string;
};
export type CallOutputItem = {
  id: string;
  type: 'function_call_output';
  status: ItemStatus;
  call_id: string;
  output: string;
};

/**
 * A call that the agent runs itself, in a response with tools of the client: programs run every `function_call` that they
 * find, and know those of their own tools only.
 */
export type AgentCallItem = {
  id: string;
  type: 'mcp_call';
  status: ItemStatus;
  server_label: 'hermes';
  name: string;
  arguments: string;
  output: string | null;
  error: null;
};

/**
 * Names the items of an answer. Streams announce an item before its message is stored, so the ids depend only on the
 * name of the response and on the position of the message in its turn.
 */
export const itemIds = {
  text: (name: string, step: number) => `msg_${name}_${step}`,
  reasoning: (name: string, step: number) => `rs_${name}_${step}`,
  call: (callId: string) => `fc_${plainId(callId)}`,
  output: (callId: string) => `fco_${plainId(callId)}`,
  agentCall: (callId: string) => `mcp_${plainId(callId)}`,
};

/** Providers choose the ids of calls, and an id of an item is part of a path. */
function plainId(callId: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(callId)) return callId;
  return createHash('sha256').update(callId).digest('hex').slice(0, 32);
}

export const outputText = (text: string): OutputText => ({ type: 'output_text', text, annotations: [], logprobs: [] });

/** The name of what no response produced: a message that was added to a conversation, or an earlier one. */
const nameOfMessage = ({ id, copyOf }: StoredMessage) => `m${copyOf ?? id}`;

/** The items of a turn: what the user sent is the input, and everything else the output. */
export type TurnItems = { input: Item[]; output: Item[] };

/** The names of the tools of the client. */
export type ClientTools = ReadonlySet<string>;

/** The items of the messages that a response stored, in the order in which they were stored. */
export function itemsOfTurn(
  name: string,
  messages: readonly StoredMessage[],
  clientTools: ClientTools = new Set(),
): TurnItems {
  const reader = createTurnReader(name, clientTools);
  const read = messages.map((stored) => reader.read(stored));
  return { input: read.flatMap(({ input }) => input), output: read.flatMap(({ output }) => output) };
}

/** Reads the messages of a response one after the other. */
export interface TurnReader {
  read(stored: StoredMessage): TurnItems;
  /**
   * Adds a result to the call of the agent that it belongs to; false if there is none. Results are stored in the order of
   * the calls, so a call of the client can delay the result of a later one beyond the end of the response.
   */
  complete(message: Message): boolean;
}

export function createTurnReader(name: string, clientTools: ClientTools = new Set()): TurnReader {
  let step = 0;
  let inputs = 0;
  /** Calls of the agent that wait for their results, by the id of the call. */
  const running = new Map<string, AgentCallItem>();

  function complete(message: Message): boolean {
    const call = message.role === 'tool' ? running.get(message.toolCallId) : undefined;
    if (call === undefined) return false;
    call.status = 'completed';
    call.output = message.content;
    return true;
  }

  const readResult = (message: ToolMessage): Item[] =>
    complete(message) ? [] : [outputItem(message.toolCallId, message.content)];

  function readCall(call: ToolCall): Item {
    if (clientTools.size === 0 || clientTools.has(call.name)) return callItem(call);
    const item = agentCallItem(call);
    running.set(call.id, item);
    return item;
  }

  function readOutput(message: Message): Item[] {
    if (message.role === 'tool') return readResult(message);
    if (message.role === 'user') return [];
    const items = assistantItems(name, step, message, readCall);
    step += 1;
    return items;
  }

  return {
    complete,
    read({ message }) {
      // Before everything else, results end calls of an earlier response: the client has sent them, or its process died.
      if (message.role === 'tool' && inputs + step === 0) {
        const isSent = clientTools.has(message.toolName);
        return { input: isSent ? [outputItem(message.toolCallId, message.content)] : [], output: [] };
      }
      // What the user said while the turn ran is neither the input of the response nor a part of its answer.
      if (message.role !== 'user' || step > 0) return { input: [], output: readOutput(message) };
      const item = userItem(`msg_${name}_in${inputs}`, message);
      inputs += 1;
      return { input: [item], output: [] };
    },
  };
}

/** The items of a message that belongs to no response. */
export function itemsOfMessage(stored: StoredMessage): Item[] {
  const { message } = stored;
  const name = nameOfMessage(stored);
  if (message.role === 'user') return [userItem(`msg_${name}`, message)];
  if (message.role === 'assistant') return assistantItems(name, 0, message);
  return [outputItem(message.toolCallId, message.content)];
}

function assistantItems(
  name: string,
  step: number,
  message: AssistantMessage,
  readCall: (call: ToolCall) => Item = callItem,
): Item[] {
  const items: Item[] = [];
  if (message.reasoning) items.push(reasoningItem(itemIds.reasoning(name, step), message.reasoning));
  if (message.content.trim() !== '') items.push(textItem(itemIds.text(name, step), message.content));
  for (const call of message.toolCalls ?? []) items.push(readCall(call));
  return items;
}

export function textItem(id: string, text: string): MessageItem {
  return { id, type: 'message', status: 'completed', role: 'assistant', content: [outputText(text)] };
}

export function reasoningItem(id: string, text: string): ReasoningItem {
  return { id, type: 'reasoning', status: 'completed', summary: [{ type: 'summary_text', text }] };
}

export function callItem({ id, name, arguments: text }: ToolCall): CallItem {
  return { id: itemIds.call(id), type: 'function_call', status: 'completed', call_id: id, name, arguments: text };
}

/** `output` is undefined as long as the call runs. */
export function agentCallItem({ id, name, arguments: text }: ToolCall, output?: string): AgentCallItem {
  return {
    id: itemIds.agentCall(id),
    type: 'mcp_call',
    status: output === undefined ? 'incomplete' : 'completed',
    server_label: 'hermes',
    name,
    arguments: text,
    output: output ?? null,
    error: null,
  };
}

export function outputItem(callId: string, output: string): CallOutputItem {
  return { id: itemIds.output(callId), type: 'function_call_output', status: 'completed', call_id: callId, output };
}

function userItem(id: string, { content, attachments = [] }: Message & { role: 'user' }): MessageItem {
  const text: InputPart[] = content === '' ? [] : [{ type: 'input_text', text: content }];
  return { id, type: 'message', status: 'completed', role: 'user', content: [...text, ...attachments.map(filePart)] };
}

/** Files are named by their hash. The content of an image is added if the client asks for it. */
function filePart({ kind, hash, name }: Attachment): InputPart {
  const file_id = fileId(hash);
  if (kind === 'document') return { type: 'input_file', file_id, filename: name };
  return { type: 'input_image', detail: 'auto', file_id, image_url: null };
}

const FILE_PREFIX = 'file_';
export const fileId = (hash: string) => `${FILE_PREFIX}${hash}`;
export const hashOfFile = (id: string) => id.slice(FILE_PREFIX.length);

/** The text of an answer, as `output_text` of a response. */
export function textOf(items: readonly Item[]): string {
  return items
    .flatMap((item) => (item.type === 'message' && item.role === 'assistant' ? item.content : []))
    .map(({ text }) => text)
    .join('');
}
