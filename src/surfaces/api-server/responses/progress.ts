import { NO_USAGE, type RunResult, type Usage } from '../../../base/index.ts';
import type { ChatToolCall } from '../chat/chat-request.ts';
import type { Place } from './place-response.ts';
import type { TurnEvents } from './turn-events.ts';

/** What is known about a response while it runs. */
export interface Progress {
  readonly events: TurnEvents;
  place: Place | undefined;
  result: RunResult | undefined;
  thrown: unknown;
  /** The JSON of the answer, if the client has asked for a schema. */
  answer: string | undefined;
  /** What the calls of the model took since the response began. */
  usage: Usage;
  /** The calls that the client has to run; undefined as long as there are none. */
  readonly calls: readonly ChatToolCall[] | undefined;
  /** Resolves when the response ends with calls of the client. */
  readonly paused: Promise<void>;
  pause(calls: readonly ChatToolCall[]): void;
  /** Resolves when the response has ended with calls of the client: the place of the next one. */
  readonly next: Promise<Place>;
  end(next: Place): void;
  fail(thrown: unknown): void;
}

export function createProgress(events: TurnEvents): Progress {
  const paused = Promise.withResolvers<void>();
  const next = Promise.withResolvers<Place>();
  let calls: readonly ChatToolCall[] | undefined;
  const progress: Progress = {
    events,
    place: undefined,
    result: undefined,
    thrown: undefined,
    answer: undefined,
    usage: NO_USAGE,
    get calls() {
      return calls;
    },
    paused: paused.promise,
    pause(waiting) {
      calls = waiting;
      paused.resolve();
    },
    next: next.promise,
    end: next.resolve,
    fail: (thrown) => {
      progress.thrown = thrown;
    },
  };
  return progress;
}
