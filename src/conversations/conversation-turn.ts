import type { Run } from '../agent/index.ts';
import { type AgentEvent, HermesError, newId, type RunResult } from '../base/index.ts';
import type { EventReader, ReaderOptions } from '../util/index.ts';

/** One turn of a conversation, from the moment it is sent. Any number of readers may follow its events. */
export interface ConversationTurn extends AsyncIterable<AgentEvent> {
  /** The task id of the turn's run. */
  readonly id: string;
  /** Rejects with `TurnNotStarted` if the turn never ran, and with `SessionHeld` if another process holds the session. */
  readonly result: Promise<RunResult>;
  /** Whether the agent is working on the turn. Before that, the turn waits for the session or for earlier turns. */
  isRunning(): boolean;
  /** Creates a reader with its own queue, which receives events from now on. */
  read(options?: ReaderOptions): AsyncIterator<AgentEvent, undefined>;
  /**
   * Passes a message to the model with the next request. Returns false if the turn is not running or no longer
   * accepts messages.
   */
  steer(text: string): boolean;
  interrupt(reason?: string): void;
}

/** The turn was withdrawn before any model was called. */
export class TurnNotStarted extends HermesError {}

/** The conversation's own side of a turn, which starts and settles it. */
export interface TurnHandle {
  readonly turn: ConversationTurn;
  /** Aborted when the turn is interrupted before it has started. */
  readonly signal: AbortSignal;
  /** Rejects when the turn is interrupted before it has started, and never settles otherwise. */
  readonly withdrawn: Promise<never>;
  /** The run of this turn; undefined before it has started. */
  run(): Run | undefined;
  started(run: Run): void;
  settle(result: Promise<RunResult>): void;
}

const ENDED = { done: true, value: undefined } as const;

export function createTurnHandle(onInterrupted: () => void, id = newId('task')): TurnHandle {
  const stop = new AbortController();
  const result = Promise.withResolvers<RunResult>();
  const withdrawn = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error));
  });
  // The sender may read only the events and never await the result.
  for (const promise of [result.promise, withdrawn]) promise.catch(() => undefined);
  const waiting: ((run: Run | undefined) => void)[] = [];
  let run: Run | undefined;
  let isSettled = false;

  function attachReaders(): void {
    for (const attach of waiting.splice(0)) attach(run);
  }

  function read(options?: ReaderOptions): AsyncIterator<AgentEvent, undefined> {
    if (run !== undefined) return run.read(options);
    // Attached in the same tick in which the run starts, so that no event is missed.
    const attached = new Promise<EventReader<AgentEvent> | undefined>((resolve) => {
      waiting.push((started) => resolve(started?.read(options)));
    });
    if (isSettled) attachReaders();
    return {
      next: async () => (await attached)?.next() ?? ENDED,
      return: async () => {
        void attached.then((reader) => reader?.return?.());
        return ENDED;
      },
    };
  }

  const turn: ConversationTurn = {
    id,
    result: result.promise,
    isRunning: () => run !== undefined && !isSettled,
    read,
    steer: (text) => run?.steer(text) ?? false,
    interrupt(reason = 'interrupted by the user') {
      if (run === undefined) stop.abort(new TurnNotStarted(`The message was not sent: ${reason}.`));
      else run.interrupt(reason);
      onInterrupted();
    },
    [Symbol.asyncIterator]: () => read(),
  };
  return {
    turn,
    signal: stop.signal,
    withdrawn,
    run: () => run,
    started(begun) {
      run = begun;
      attachReaders();
    },
    settle(outcome) {
      result.resolve(
        outcome.finally(() => {
          isSettled = true;
          attachReaders();
        }),
      );
    },
  };
}
