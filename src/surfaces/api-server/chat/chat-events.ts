import {
  type AgentEvent,
  addUsage,
  type JsonObject,
  NO_USAGE,
  type ToolStatus,
  type Usage,
} from '../../../base/index.ts';
import type { ConversationTurn } from '../../../conversations/index.ts';
import { describeCall } from '../../text/describe-call.ts';
import type { ChatToolCall } from './chat-request.ts';

/** What a chat completion shows of a turn. */
export type ChatEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool'; progress: ToolProgress }
  /** The text since the last tool call is invalid; what follows replaces it. */
  | { type: 'discarded'; reason: string }
  /** The turn waits for the client, which runs these calls. The answer to this request ends here. */
  | { type: 'calls'; calls: readonly ChatToolCall[]; text: string; usage: Usage };

/** The names are those of the original. */
export type ToolProgress = {
  tool: string;
  label: string;
  toolCallId: string;
  status: 'running' | 'completed';
  outcome?: ToolStatus;
  duration_ms?: number;
};

/** The events of one turn, for any number of readers, each of which gets all of them. */
export interface ChatEvents {
  add(event: ChatEvent): void;
  end(): void;
  /** The number of events so far. */
  readonly size: number;
  /** The events from a position on, up to the end of the turn or to the calls of the client. */
  read(from: number): AsyncGenerator<ChatEvent>;
}

/** `onCalls` is called when the turn waits for the client. */
export function createChatEvents(onCalls: (calls: readonly ChatToolCall[]) => void): ChatEvents {
  const events: ChatEvent[] = [];
  let changed = Promise.withResolvers<void>();
  let isEnded = false;
  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  return {
    get size() {
      return events.length;
    },
    add(event) {
      events.push(event);
      if (event.type === 'calls') onCalls(event.calls);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    async *read(from) {
      for (let at = from; at < events.length || !isEnded; ) {
        const next = events[at];
        if (next === undefined) {
          await changed.promise;
          continue;
        }
        at += 1;
        yield next;
        if (next.type === 'calls') return;
      }
    },
  };
}

/** What a client has seen since its last request. */
export type Seen = { text: string; usage: Usage };

/** Records the events of a turn. Returns what the client has seen since it ran its last calls. */
export async function recordEvents(
  turn: ConversationTurn,
  events: ChatEvents,
  clientTools: ReadonlySet<string>,
): Promise<Seen> {
  const calls = createCallWatch(clientTools);
  const labels = new Map<string, string>();
  let seen = '';
  let usage = NO_USAGE;
  let isSeparate = false;
  for await (const event of turn) {
    if (event.type === 'usage') usage = addUsage(usage, event.usage);
    const shown = toChatEvent(event, clientTools, labels);
    if (shown?.type === 'text') {
      // Text before and after a tool call are paragraphs.
      const text = isSeparate ? `\n\n${shown.text}` : shown.text;
      isSeparate = false;
      seen += text;
      events.add({ type: 'text', text });
    } else if (shown !== undefined) {
      if (shown.type !== 'reasoning') isSeparate = seen !== '';
      events.add(shown);
    }
    const waiting = calls.update(event);
    if (waiting === undefined) continue;
    events.add({ type: 'calls', calls: waiting, text: seen, usage });
    [seen, usage, isSeparate] = ['', NO_USAGE, false];
  }
  return { text: seen, usage };
}

/** Notices when nothing runs any more except for calls of the client. */
export interface CallWatch {
  /** The calls that the client has to run now; undefined if others still run or the client knows them. */
  update(event: AgentEvent): readonly ChatToolCall[] | undefined;
}

export function createCallWatch(clientTools: ReadonlySet<string>): CallWatch {
  const waiting = new Map<string, ChatToolCall>();
  const others = new Set<string>();
  let [announced, begun] = [0, 0];

  function apply(event: AgentEvent): void {
    if (event.type === 'thinking-started') [announced, begun] = [0, 0];
    else if (event.type === 'tool-call-seen' && clientTools.has(event.name)) announced += 1;
    else if (event.type === 'tool-started') {
      const { callId: id, name, arguments: args } = event;
      if (!clientTools.has(name)) others.add(id);
      else {
        begun += 1;
        waiting.set(id, { id, name, arguments: args });
      }
    } else if (event.type === 'tool-finished') {
      // A call with invalid arguments ends without having started.
      if (clientTools.has(event.name) && !waiting.delete(event.callId)) begun += 1;
      others.delete(event.callId);
    }
  }

  let known = '';
  return {
    update(event) {
      apply(event);
      const ids = [...waiting.keys()].join(' ');
      if (ids === '') known = '';
      if (ids === '' || ids === known || others.size > 0 || begun < announced) return undefined;
      // When one of several results arrives, the client already knows the other calls.
      const isLess = known !== '' && [...waiting.keys()].every((id) => known.split(' ').includes(id));
      known = ids;
      return isLess ? undefined : [...waiting.values()];
    },
  };
}

/** `labels`: what is shown for the calls that are running, by their ids. */
function toChatEvent(
  event: AgentEvent,
  clientTools: ReadonlySet<string>,
  labels: Map<string, string>,
): ChatEvent | undefined {
  switch (event.type) {
    case 'text-delta':
      return { type: 'text', text: event.text };
    case 'reasoning-delta':
      return { type: 'reasoning', text: event.text };
    case 'answer-discarded':
      return { type: 'discarded', reason: event.reason };
    case 'tool-started': {
      const { name: tool, callId: toolCallId } = event;
      if (clientTools.has(tool)) return undefined;
      const label = describeCall(tool, event.arguments) || tool;
      labels.set(toolCallId, label);
      return { type: 'tool', progress: { tool, label, toolCallId, status: 'running' } };
    }
    case 'tool-finished': {
      const { name: tool, callId: toolCallId, status: outcome, durationMs } = event;
      if (clientTools.has(tool)) return undefined;
      const label = labels.get(toolCallId) ?? tool;
      labels.delete(toolCallId);
      const progress = {
        tool,
        label,
        toolCallId,
        status: 'completed',
        outcome,
        duration_ms: durationMs,
      } as const;
      return { type: 'tool', progress };
    }
    default:
      return undefined;
  }
}

/** The data of a `hermes.tool.progress` event. Clients that read every event as a chunk expect `choices`. */
export function progressData(progress: ToolProgress, chunk: JsonObject): JsonObject {
  return { ...chunk, choices: [], ...progress };
}
