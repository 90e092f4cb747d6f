import { addUsage, errorMessage, newId, type RunResult } from '../../../base/index.ts';
import type { Conversation, ConversationMessage, ConversationTurn } from '../../../conversations/index.ts';
import { type CallWatch, createCallWatch } from '../chat/chat-events.ts';
import type { ChatToolCall } from '../chat/chat-request.ts';
import { type ClientCalls, type ClientWait, limitWait } from '../chat/client-tools.ts';
import type { EventSink } from './event-sinks.ts';
import type { ClientTools } from './items.ts';
import type { Progress } from './progress.ts';
import { otherEvents } from './turn-events.ts';

/** A response, as the turn that writes it knows it. */
export type Segment = {
  progress: Progress;
  sink: EventSink;
  /** Whether events of the turn are sent for which the Responses API has none. */
  showsAll: boolean;
  /** Aborted when the client no longer wants the response. */
  signal: AbortSignal;
  /** Called when the turn waits for the client, before the response ends. */
  onPause(calls: readonly ChatToolCall[]): void;
};

/**
 * The work for a response, and for those that continue it: a turn that calls tools of the client ends one response with
 * the calls and continues in the response to the request with their results.
 */
export interface LiveTurn {
  /** What the events of the turn are written to; undefined while the turn waits for a client. */
  readonly segment: Segment | undefined;
  /** Aborted when the work must stop. */
  readonly stop: AbortController;
  /** From here on, the turn writes to this response. */
  attach(segment: Segment): void;
  /** Runs a turn and passes its events on. */
  run(conversation: Conversation, message: ConversationMessage): Promise<RunResult>;
  /** Passes the results of the client on, and what the user has said with them. With that, the turn continues. */
  resume(results: ReadonlyMap<string, string>, text: string): void;
}

export type LiveTurnOptions = { clientTools: ClientTools; calls: ClientCalls; wait: ClientWait };

export function createLiveTurn({ clientTools, calls, wait }: LiveTurnOptions): LiveTurn {
  const stop = new AbortController();
  let segment: Segment | undefined;
  let turn: ConversationTurn | undefined;
  let resumed = Promise.withResolvers<void>();
  const onAbort = () => stop.abort(segment?.signal.reason);

  function detach(): void {
    segment?.signal.removeEventListener('abort', onAbort);
    segment = undefined;
  }

  async function pause(
    { sessionId, ended }: { sessionId: string; ended: Promise<unknown> },
    waiting: readonly ChatToolCall[],
  ): Promise<void> {
    const paused = segment;
    if (paused === undefined) return;
    resumed = Promise.withResolvers();
    paused.onPause(waiting);
    detach();
    paused.progress.pause(waiting);
    const endWait = limitWait({ ...wait, sessionKeys: [...wait.sessionKeys, sessionId] }, (reason) =>
      stop.abort(reason),
    );
    await Promise.race([resumed.promise, ended.catch(() => undefined)]);
    endWait();
  }

  async function follow({ sessionId }: Conversation, running: ConversationTurn, watch: CallWatch): Promise<RunResult> {
    for await (const event of running) {
      if (segment !== undefined) {
        const { progress, sink, showsAll } = segment;
        if (event.type === 'usage') progress.usage = addUsage(progress.usage, event.usage);
        await sink.write([...progress.events.step(event), ...(showsAll ? otherEvents(event) : [])]);
      }
      const waiting = watch.update(event);
      if (waiting !== undefined) await pause({ sessionId, ended: running.result }, waiting);
    }
    return await running.result;
  }

  return {
    stop,
    get segment() {
      return segment;
    },
    attach(next) {
      segment = next;
      if (next.signal.aborted) onAbort();
      else next.signal.addEventListener('abort', onAbort, { once: true });
    },
    async run(conversation, message) {
      const turnId = newId('task');
      const running = conversation.queue({ ...message, turnId, signal: stop.signal });
      turn = running;
      const interrupt = () => running.interrupt(errorMessage(stop.signal.reason));
      if (stop.signal.aborted) interrupt();
      else stop.signal.addEventListener('abort', interrupt, { once: true });
      try {
        return await follow(conversation, running, createCallWatch(clientTools));
      } catch (thrown) {
        running.interrupt(errorMessage(thrown));
        throw thrown;
      } finally {
        stop.signal.removeEventListener('abort', interrupt);
        calls.forget(turnId);
      }
    },
    resume(results, text) {
      if (text.trim() !== '') turn?.steer(text);
      for (const [id, result] of results) calls.answer(turn?.id ?? '', id, result);
      resumed.resolve();
    },
  };
}
