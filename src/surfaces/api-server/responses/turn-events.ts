import type { AgentEvent, ToolCall } from '../../../base/index.ts';
import { agentCallItem, callItem, type ClientTools, type Item, itemIds, outputItem, textOf } from './items.ts';
import { toJsonLine } from '../../text/json-line.ts';
import { hermesEvent, type ResponseEvent, type StreamItems } from './stream-items.ts';

/**
 * Turns the events of a turn into events of a response. Reasoning and text become items of their own, tool calls
 * `function_call` items, and their results `function_call_output` items. The turn's end is written by `endItems`.
 */
export interface TurnEvents {
  step(event: AgentEvent): ResponseEvent[];
}

type NamedResponse = {
  /** Identifies the response in the ids of its items. */
  name: string;
  clientTools: ClientTools;
  /** Whether the response continues the turn of another one, which ended with calls of the client. */
  continues: boolean;
};

export function createTurnEvents({ name, clientTools, continues }: NamedResponse, items: StreamItems): TurnEvents {
  /** The step of the calls belongs to the response before. */
  let step = continues ? -1 : 0;
  /** Whitespace at the start of a text, which is no text if a tool call follows. */
  let blank = '';

  function addReasoning(text: string): ResponseEvent[] {
    const id = itemIds.reasoning(name, step);
    const opened = items.hasAnnounced(id)
      ? []
      : items.openText({ id, type: 'reasoning', status: 'in_progress', summary: [] });
    return [...opened, ...items.addText(id, text)];
  }

  function addText(text: string): ResponseEvent[] {
    const id = itemIds.text(name, step);
    if (items.hasAnnounced(id)) return items.addText(id, text);
    blank += text;
    if (blank.trim() === '') return [];
    const first = blank;
    blank = '';
    const reasoning = items.open().flatMap((other) => items.closePart(other));
    const opened = items.openText({ id, type: 'message', status: 'in_progress', role: 'assistant', content: [] });
    return [...reasoning, ...opened, ...items.addText(id, first)];
  }

  /** The message of the step was stored, so its items are complete. */
  function settle(): ResponseEvent[] {
    blank = '';
    return items.open().flatMap((id) => items.closeText(id));
  }

  function beginCall(call: ToolCall): ResponseEvent[] {
    if (step < 0) return [];
    const isAgents = clientTools.size > 0 && !clientTools.has(call.name);
    return isAgents ? items.beginCall(agentCallItem(call)) : items.addItem(callItem(call));
  }

  function endCall(callId: string, output: string): ResponseEvent[] {
    if (clientTools.size === 0) return items.addItem(outputItem(callId, output));
    const call = items.openCalls().find(({ id }) => id === itemIds.agentCall(callId));
    // The client itself has sent the result of another call.
    return call === undefined ? [] : items.endCall({ ...call, status: 'completed', output });
  }

  return {
    step(event) {
      switch (event.type) {
        case 'thinking-started':
          items.mark();
          return [];
        case 'reasoning-delta':
          return addReasoning(event.text);
        case 'text-delta':
          return addText(event.text);
        case 'answer-discarded':
          blank = '';
          return items.discard(event.reason);
        case 'tool-started': {
          const { callId: id, name: tool, arguments: text } = event;
          return [...settle(), ...beginCall({ id, name: tool, arguments: text })];
        }
        case 'tool-finished':
          return endCall(event.callId, event.content);
        case 'step-finished': {
          const settled = settle();
          step += 1;
          return settled;
        }
        default:
          return [];
      }
    },
  };
}

/** The events that are items of the response, or only say when something begins and ends. */
const SHOWN: readonly AgentEvent['type'][] = [
  'thinking-started',
  'thinking-finished',
  'reasoning-delta',
  'text-delta',
  'answer-discarded',
  'tool-started',
  'tool-finished',
  'step-finished',
  'finished',
];

/** An event of a turn for which the Responses API has none, in the format of the JSON lines. */
export function otherEvents(event: AgentEvent): ResponseEvent[] {
  return SHOWN.includes(event.type) ? [] : [hermesEvent('event', toJsonLine(event))];
}

/** Ends the items of a stream with what was stored of the turn, and adds those that were stored but not streamed. */
export function endItems(items: StreamItems, stored: readonly Item[]): ResponseEvent[] {
  const known = new Map(stored.map((item) => [item.id, item]));
  return [
    ...items.open().flatMap((id) => {
      const item = known.get(id);
      if (item === undefined) return items.dropText(id, 'The turn ended before this text was stored.');
      return items.closeText(id, storedText(item));
    }),
    ...items.openCalls().flatMap((call) => {
      const item = known.get(call.id);
      return items.endCall(item?.type === 'mcp_call' ? item : { ...call, status: 'incomplete' });
    }),
    ...stored.filter(({ id }) => !items.hasAnnounced(id)).flatMap((item) => items.addItem(item)),
  ];
}

/** The items in the order in which the stream announced them. */
export function inStreamOrder(stored: readonly Item[], announced: readonly string[]): Item[] {
  const position = new Map(announced.map((id, index) => [id, index]));
  const of = ({ id }: Item) => position.get(id) ?? announced.length;
  return stored.toSorted((a, b) => of(a) - of(b));
}

function storedText(item: Item): string | undefined {
  if (item.type === 'reasoning') return item.summary.map(({ text }) => text).join('');
  return item.type === 'message' && item.role === 'assistant' ? textOf([item]) : undefined;
}
