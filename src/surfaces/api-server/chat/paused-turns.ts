import { HttpError } from '../../../http/index.ts';
import type { ChatRequest, ChatToolCall } from './chat-request.ts';
import type { ChatAnswer, ChatTurn } from './chat-turn.ts';
import type { ClientCalls } from './client-tools.ts';
import type { Scope } from './find-session.ts';
import { hashMessages, hashRequest } from './prefix-hashes.ts';
import { invalid } from '../read-fields.ts';

/** What changes while a turn runs. */
export type TurnState = {
  /** The id of the turn, by which its calls are known. */
  turnId: string;
  /** The last request of the client. */
  latest: ChatRequest;
  /** What other turns of its session need. */
  sessionKeys: readonly string[];
  /** Passes a message of the user on to the turn. */
  steer(text: string): void;
};

type Pause = {
  scope: Scope;
  turn: ChatTurn;
  state: TurnState;
  /** The calls that the client runs. */
  calls: readonly ChatToolCall[];
  /** The position of the events after the pause. */
  from: number;
};

/** Turns that wait for results of the client. */
export interface PausedTurns {
  add(pause: Pause): void;
  /**
   * Passes the results in a request, and what the user says with them, to the turn that waits for them. Undefined if no
   * turn does.
   */
  resume(scope: Scope, request: ChatRequest): ChatAnswer | undefined;
}

const NO_RESULT = 'The client sent no result for this call.';

export function createPausedTurns(calls: ClientCalls): PausedTurns {
  /** By the conversation and the id of each call. */
  const pauses = new Map<string, Pause>();

  function keysOf({ scope, state, calls: waiting }: Pause): string[] {
    const asked = hashRequest(scope, state.latest);
    return waiting.map(({ id }) => `${asked} ${id}`);
  }

  function remove(pause: Pause): void {
    for (const key of keysOf(pause)) if (pauses.get(key) === pause) pauses.delete(key);
  }

  return {
    add(pause) {
      for (const key of keysOf(pause)) pauses.set(key, pause);
      const forget = () => remove(pause);
      pause.turn.result.then(forget, forget);
    },
    resume(scope, request) {
      const { history, input } = request;
      const asked = hashMessages(scope, history.slice(0, -1)).at(-1) ?? '';
      const results = new Map(
        input.flatMap(({ toolCallId, text }) => (toolCallId ? [[toolCallId, text] as const] : [])),
      );
      // A user who does not want the calls any more sends a message without results.
      const ids = history.at(-1)?.toolCalls.map(({ id }) => id) ?? [];
      const pause = ids.map((id) => pauses.get(`${asked} ${id}`)).find((found) => found !== undefined);
      if (pause === undefined) return undefined;
      const said = input.filter(({ role }) => role === 'user');
      const file = said.flatMap(({ files }) => files)[0];
      if (file !== undefined) throw invalid(file.field, 'is a file; send files after the turn has ended');
      remove(pause);
      pause.state.latest = request;
      const text = said.map((message) => message.text).join('\n\n');
      if (text.trim() !== '') pause.state.steer(text);
      for (const { id } of pause.calls) calls.answer(pause.state.turnId, id, results.get(id) ?? NO_RESULT);
      return { turn: pause.turn, from: pause.from };
    },
  };
}

/**
 * Results that no turn waits for are part of what was said before, if a message of the user follows them. Without one,
 * there is nothing to answer.
 */
export function withoutResults(request: ChatRequest): ChatRequest {
  const last = request.input.findLastIndex(({ role }) => role === 'tool');
  if (last < 0) return request;
  const input = request.input.slice(last + 1);
  if (input.length === 0)
    throw new HttpError(
      409,
      'turn_ended',
      'The turn that waited for these results has ended. Send the message again.',
      {
        'x-should-retry': 'false',
      },
    );
  return { ...request, history: [...request.history, ...request.input.slice(0, last + 1)], input };
}
