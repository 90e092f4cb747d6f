import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import {
  type AgentCallItem,
  type CallItem,
  type Item,
  type MessageItem,
  outputText,
  type ReasoningItem,
} from './items.ts';

/** An event of the stream of a response. `event` is the name for server-sent events, mostly the type of `data`. */
export type ResponseEvent = { event: string; data: JsonObject };

/** What a stream has announced of an item. */
type Announced = {
  type: string;
  /** Only of a call of the agent. */
  call?: AgentCallItem;
  index: number;
  isDone: boolean;
  /** What was streamed of its text and is still valid. */
  text: string;
  /** The length of the text before the current call of the model. */
  mark: number;
  /** The parts of a summary. The last one may be open. */
  parts: { start: number; isOpen: boolean }[];
};

/**
 * The items of the stream of one response. It writes their events, and can be restored from stored events, so that a
 * stream can be ended by a process that did not begin it.
 */
export interface StreamItems {
  /** Repeats an event that another process wrote. */
  restore(data: JsonObject): void;
  hasAnnounced(id: string): boolean;
  /** The ids of all items, in the order of the stream. */
  announced(): string[];
  /** The ids of the items whose text is still streaming. */
  open(): string[];
  /** Calls of the agent that are still running. */
  openCalls(): AgentCallItem[];
  beginCall(item: AgentCallItem): ResponseEvent[];
  endCall(item: AgentCallItem): ResponseEvent[];
  openText(item: MessageItem | ReasoningItem): ResponseEvent[];
  addText(id: string, text: string): ResponseEvent[];
  /** Ends the current part of a summary; the item stays open. */
  closePart(id: string): ResponseEvent[];
  /** From here on, `discard` drops what follows. */
  mark(): void;
  /** Drops the text that was streamed since the mark, because the model is called again. */
  discard(reason: string): ResponseEvent[];
  /** Ends an item whose text was streamed, with the text that was stored. It is incomplete if all was discarded. */
  closeText(id: string, text?: string): ResponseEvent[];
  /** Ends an item of which nothing was stored. */
  dropText(id: string, reason: string): ResponseEvent[];
  /** Announces and ends an item that is complete. */
  addItem(item: Item): ResponseEvent[];
}

/**
 * The type of events that only clients of ours understand; they find the details in `hermes`. The official packages skip
 * events of this type, and fail for types that they do not know.
 */
const SKIPPED = 'keepalive';

/** An event that only clients of ours understand. */
export function hermesEvent(name: string, details: JsonObject): ResponseEvent {
  return { event: `hermes.${name}`, data: { type: SKIPPED, hermes: details } };
}

const plain = (data: JsonObject & { type: string }): ResponseEvent => ({ event: data.type, data });

export function createStreamItems(): StreamItems {
  const items = new Map<string, Announced>();

  function find(id: string): Announced {
    const found = items.get(id);
    if (found === undefined) throw new Error(`the item ${id} was not announced`);
    return found;
  }

  function announce(item: Item): ResponseEvent[] {
    const index = items.size;
    const call = item.type === 'mcp_call' ? { call: item } : {};
    items.set(item.id, { type: item.type, index, isDone: false, text: '', mark: 0, parts: [], ...call });
    return [plain({ type: 'response.output_item.added', output_index: index, item })];
  }

  function finish(item: Item): ResponseEvent[] {
    const known = find(item.id);
    known.isDone = true;
    return [plain({ type: 'response.output_item.done', output_index: known.index, item })];
  }

  function close(id: string, text: string, status: 'completed' | 'incomplete'): ResponseEvent[] {
    const known = find(id);
    if (known.type === 'reasoning') {
      const summary = text === '' ? [] : [{ type: 'summary_text' as const, text }];
      return [...closePart(id, known), ...finish({ id, type: 'reasoning', status, summary })];
    }
    const at = { item_id: id, output_index: known.index, content_index: 0 };
    const part = outputText(text);
    return [
      plain({ type: 'response.output_text.done', ...at, text, logprobs: [] }),
      plain({ type: 'response.content_part.done', ...at, part }),
      ...finish({ id, type: 'message', status, role: 'assistant', content: [part] }),
    ];
  }

  const isOpenText = ({ isDone, call }: Announced) => !isDone && call === undefined;
  const openIds = () => [...items].filter(([, item]) => isOpenText(item)).map(([id]) => id);
  return {
    restore: (data) => restore(items, data),
    hasAnnounced: (id) => items.has(id),
    announced: () => [...items.keys()],
    open: openIds,
    openCalls: () => [...items.values()].flatMap(({ isDone, call }) => (isDone || call === undefined ? [] : [call])),
    beginCall: (item) => [
      ...announce({ ...item, status: 'in_progress' }),
      ...callStart(item, { item_id: item.id, output_index: find(item.id).index }),
    ],
    endCall: (item) => [...callEnd(item, find(item.id).index), ...finish(item)],
    openText(item) {
      const added = announce(item);
      if (item.type === 'reasoning') return added;
      const at = { item_id: item.id, output_index: find(item.id).index, content_index: 0 };
      return [...added, plain({ type: 'response.content_part.added', ...at, part: outputText('') })];
    },
    addText: (id, text) => addText(id, find(id), text),
    closePart: (id) => closePart(id, find(id)),
    mark() {
      for (const id of openIds()) find(id).mark = find(id).text.length;
    },
    discard: (reason) => discard(items, openIds(), reason),
    closeText: (id, text = find(id).text) => close(id, text, text === '' ? 'incomplete' : 'completed'),
    dropText(id, reason) {
      const dropped = [{ item_id: id, kept_characters: 0 }];
      return [hermesEvent('discarded', { items: dropped, reason }), ...close(id, '', 'incomplete')];
    },
    addItem: (item) => [...announce(startOf(item)), ...contentOf(item, find(item.id).index), ...finish(item)],
  };
}

function addText(id: string, known: Announced, text: string): ResponseEvent[] {
  known.text += text;
  const at = { item_id: id, output_index: known.index };
  if (known.type !== 'reasoning')
    return [plain({ type: 'response.output_text.delta', ...at, content_index: 0, delta: text, logprobs: [] })];
  const added = known.parts.at(-1)?.isOpen === true ? [] : openPart(at, known, text.length);
  const summary_index = known.parts.length - 1;
  return [...added, plain({ type: 'response.reasoning_summary_text.delta', ...at, summary_index, delta: text })];
}

function openPart(at: { item_id: string; output_index: number }, known: Announced, length: number): ResponseEvent[] {
  known.parts.push({ start: known.text.length - length, isOpen: true });
  const summary_index = known.parts.length - 1;
  const part = { type: 'summary_text', text: '' };
  return [plain({ type: 'response.reasoning_summary_part.added', ...at, summary_index, part })];
}

function closePart(id: string, known: Announced): ResponseEvent[] {
  const last = known.parts.at(-1);
  if (last?.isOpen !== true) return [];
  last.isOpen = false;
  const at = { item_id: id, output_index: known.index, summary_index: known.parts.length - 1 };
  const text = known.text.slice(last.start);
  return [
    plain({ type: 'response.reasoning_summary_text.done', ...at, text }),
    plain({ type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } }),
  ];
}

function discard(items: Map<string, Announced>, open: readonly string[], reason: string): ResponseEvent[] {
  const shortened: JsonObject[] = [];
  const events: ResponseEvent[] = [];
  for (const id of open) {
    const known = items.get(id);
    if (known === undefined || known.text.length === known.mark) continue;
    events.push(...closePart(id, known));
    known.text = known.text.slice(0, known.mark);
    shortened.push({ item_id: id, kept_characters: known.mark });
  }
  return shortened.length === 0 ? [] : [...events, hermesEvent('discarded', { items: shortened, reason })];
}

/** How an item is announced whose content follows. */
function startOf(item: Item): Item {
  const status = 'in_progress';
  if (item.type === 'function_call') return { ...item, status, arguments: '' };
  if (item.type === 'reasoning') return { ...item, status, summary: [] };
  if (item.type === 'mcp_call') return { ...item, status, output: null };
  return item.type === 'message' ? { ...item, status, content: [] } : { ...item, status };
}

/** The content of an item that is complete when it is announced. */
function contentOf(item: Item, output_index: number): ResponseEvent[] {
  const at = { item_id: item.id, output_index };
  if (item.type === 'function_call') return argumentsOf(item, at);
  if (item.type === 'reasoning') return summaryOf(item, at);
  if (item.type === 'mcp_call') return [...callStart(item, at), ...callEnd(item, output_index)];
  if (item.type !== 'message' || item.role !== 'assistant') return [];
  return item.content.flatMap((part, content_index) => [
    plain({ type: 'response.content_part.added', ...at, content_index, part: outputText('') }),
    plain({ type: 'response.output_text.delta', ...at, content_index, delta: part.text, logprobs: [] }),
    plain({ type: 'response.output_text.done', ...at, content_index, text: part.text, logprobs: [] }),
    plain({ type: 'response.content_part.done', ...at, content_index, part }),
  ]);
}

type Position = { item_id: string; output_index: number };

function argumentsOf({ name, arguments: text }: CallItem, at: Position): ResponseEvent[] {
  return [
    plain({ type: 'response.function_call_arguments.delta', ...at, delta: text }),
    plain({ type: 'response.function_call_arguments.done', ...at, name, arguments: text }),
  ];
}

function callStart({ arguments: text }: AgentCallItem, at: Position): ResponseEvent[] {
  return [
    plain({ type: 'response.mcp_call.in_progress', ...at }),
    plain({ type: 'response.mcp_call_arguments.done', ...at, arguments: text }),
  ];
}

function callEnd({ id: item_id, status }: AgentCallItem, output_index: number): ResponseEvent[] {
  // A call without a result may still be running.
  return status === 'completed' ? [plain({ type: 'response.mcp_call.completed', item_id, output_index })] : [];
}

function summaryOf({ summary }: ReasoningItem, at: Position): ResponseEvent[] {
  return summary.flatMap((part, summary_index) => [
    plain({ type: 'response.reasoning_summary_part.added', ...at, summary_index, part: { ...part, text: '' } }),
    plain({ type: 'response.reasoning_summary_text.delta', ...at, summary_index, delta: part.text }),
    plain({ type: 'response.reasoning_summary_text.done', ...at, summary_index, text: part.text }),
    plain({ type: 'response.reasoning_summary_part.done', ...at, summary_index, part }),
  ]);
}

const DELTAS: readonly string[] = ['response.output_text.delta', 'response.reasoning_summary_text.delta'];

/** Applies a stored event. Events of other types say nothing about which items are open. */
function restore(items: Map<string, Announced>, data: JsonObject): void {
  const { type, item, item_id, output_index, delta } = data;
  const idOf = (value: unknown) => (typeof value === 'string' ? value : '');
  const given = isJsonObject(item) ? item : {};
  const known = items.get(idOf(item_id ?? given['id']));
  if (type === 'response.output_item.added') {
    const announced = { type: idOf(given['type']), index: Number(output_index), isDone: false, text: '', mark: 0 };
    const call = announced.type === 'mcp_call' ? { call: given as AgentCallItem } : {};
    items.set(idOf(given['id']), { ...announced, parts: [], ...call });
  } else if (known === undefined) return;
  else if (type === 'response.output_item.done') known.isDone = true;
  else if (type === 'response.reasoning_summary_part.added')
    known.parts.push({ start: known.text.length, isOpen: true });
  else if (type === 'response.reasoning_summary_part.done') {
    const last = known.parts.at(-1);
    if (last !== undefined) last.isOpen = false;
  } else if (DELTAS.includes(idOf(type)) && typeof delta === 'string') known.text += delta;
}
