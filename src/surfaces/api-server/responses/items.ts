import { createHash } from 'node:crypto';
import type { AssistantMessage, Attachment, Message, ToolCall } from '../../../base/index.ts';
import type { StoredMessage } from '../../../contracts/index.ts';

/** The items of the Responses API that a turn or a history consists of. */
export type Item = MessageItem | ReasoningItem | CallItem | CallOutputItem;
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
 * Names the items of an answer. Streams announce an item before its message is stored, so the ids depend only on the
 * name of the response and on the position of the message in its turn.
 */
export const itemIds = {
  text: (name: string, step: number) => `msg_${name}_${step}`,
  reasoning: (name: string, step: number) => `rs_${name}_${step}`,
  call: (callId: string) => `fc_${plainId(callId)}`,
  output: (callId: string) => `fco_${plainId(callId)}`,
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

/** The items of the messages that a response stored, in the order in which they were stored. */
export function itemsOfTurn(name: string, messages: readonly StoredMessage[]): TurnItems {
  const reader = createTurnReader(name);
  const read = messages.map((stored) => reader.read(stored));
  return { input: read.flatMap(({ input }) => input), output: read.flatMap(({ output }) => output) };
}

/** Reads the messages of a response one after the other. */
export function createTurnReader(name: string): { read(stored: StoredMessage): TurnItems } {
  let step = 0;
  let inputs = 0;
  function readOutput(message: Message): Item[] {
    // Before the input, only calls of an earlier turn can be closed, whose process died.
    if (message.role === 'tool') return inputs + step === 0 ? [] : [outputItem(message.toolCallId, message.content)];
    if (message.role === 'user') return [];
    const items = assistantItems(name, step, message);
    step += 1;
    return items;
  }
  return {
    read({ message }) {
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

function assistantItems(name: string, step: number, message: AssistantMessage): Item[] {
  const items: Item[] = [];
  if (message.reasoning) items.push(reasoningItem(itemIds.reasoning(name, step), message.reasoning));
  if (message.content.trim() !== '') items.push(textItem(itemIds.text(name, step), message.content));
  for (const call of message.toolCalls ?? []) items.push(callItem(call));
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
