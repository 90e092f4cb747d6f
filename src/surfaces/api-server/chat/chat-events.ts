import type { AgentEvent, JsonObject, ToolStatus } from '../../../base/index.ts';
import type { ConversationTurn } from '../../../conversations/index.ts';
import { describeCall } from '../../text/describe-call.ts';

/** What a chat completion shows of a turn. */
export type ChatEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool'; progress: ToolProgress }
  /** The text since the last tool call is invalid; what follows replaces it. */
  | { type: 'discarded'; reason: string };

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
  read(): AsyncGenerator<ChatEvent>;
}

export function createChatEvents(): ChatEvents {
  const events: ChatEvent[] = [];
  let changed = Promise.withResolvers<void>();
  let isEnded = false;
  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  return {
    add(event) {
      events.push(event);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    async *read() {
      for (let at = 0; at < events.length || !isEnded; ) {
        const next = events[at];
        if (next === undefined) await changed.promise;
        else {
          at += 1;
          yield next;
        }
      }
    },
  };
}

/** Records the events of a turn, and returns the text that a client has seen. */
export async function recordEvents(turn: ConversationTurn, events: ChatEvents): Promise<string> {
  let seen = '';
  let isSeparate = false;
  for await (const event of turn) {
    const shown = toChatEvent(event);
    if (shown === undefined) continue;
    if (shown.type !== 'text') {
      // Text before and after a tool call are paragraphs.
      if (shown.type !== 'reasoning') isSeparate = seen !== '';
      events.add(shown);
      continue;
    }
    const text = isSeparate ? `\n\n${shown.text}` : shown.text;
    isSeparate = false;
    seen += text;
    events.add({ type: 'text', text });
  }
  return seen;
}

function toChatEvent(event: AgentEvent): ChatEvent | undefined {
  switch (event.type) {
    case 'text-delta':
      return { type: 'text', text: event.text };
    case 'reasoning-delta':
      return { type: 'reasoning', text: event.text };
    case 'answer-discarded':
      return { type: 'discarded', reason: event.reason };
    case 'tool-started': {
      const { name: tool, callId: toolCallId } = event;
      const label = describeCall(tool, event.arguments) || tool;
      return { type: 'tool', progress: { tool, label, toolCallId, status: 'running' } };
    }
    case 'tool-finished': {
      const { name: tool, callId: toolCallId, status: outcome, durationMs } = event;
      const progress = {
        tool,
        label: tool,
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
