import {
  type AttachedFile,
  errorMessage,
  exitFacts,
  HermesError,
  type JsonObject,
  newId,
  newSessionId,
  type RunResult,
} from '../../../base/index.ts';
import type { ApiRun, ApiRunState } from '../../../contracts/index.ts';
import type { Conversation, ConversationTurn } from '../../../conversations/index.ts';
import { HttpError } from '../../../http/index.ts';
import { toJsonLine } from '../../text/json-line.ts';
import type { ApiContext, ApiRequest } from '../api-context.ts';
import { loadFiles } from '../chat/read-content.ts';
import type { EventWriter } from '../streams/event-streams.ts';
import type { TurnPlace } from '../turns/turn-host.ts';
import { concludeRun, DIED } from './conclude-run.ts';
import type { TurnRequest } from './run-request.ts';

/** The turn of a run that this process works on. */
export type LiveRun = { conversation: Conversation; turn: ConversationTurn };

/** Runs: turns that go on without the client, which follows them by their stored events. */
export interface RunHost {
  start(request: ApiRequest, asked: TurnRequest, options: { attended: boolean }): Promise<ApiRun>;
  /** The run of a key. A run whose process died is ended first. Throws `HttpError` if there is none. */
  require(owner: string, id: string): Promise<ApiRun>;
  /** The turn of a run; undefined while it waits to start, and if another process works on it. */
  live(id: string): LiveRun | undefined;
  /** Stops a run of this process, whether it has started or not. Returns false if there is none. */
  stop(id: string): boolean;
}

type Message = Pick<TurnRequest, 'text' | 'instructions'> & { attachments: readonly AttachedFile[] };

type Entry = { id: string; stop: AbortController; live?: LiveRun; writer: EventWriter };

export function createRunHost(context: ApiContext): RunHost {
  const { runtime, store, streams, turns, models } = context;
  const { clock, logger } = runtime;
  const running = new Map<string, Entry>();

  async function work(entry: Entry, place: TurnPlace, message: Message): Promise<void> {
    const { id, stop, writer } = entry;
    running.set(id, entry);
    try {
      const ended = await turns
        .use(place, (conversation) => runTurn(entry, conversation, message))
        .then(endOfResult, (thrown: unknown) => endOfStart(thrown, stop.signal.aborted));
      const { state, result, sessionId = place.session.id } = ended;
      if ('fault' in ended) logger.error('a run failed', { id }, ended.fault);
      await store.endRun(id, { state, sessionId, endedAt: clock.now(), result });
      await writer.end(result);
    } catch (thrown) {
      logger.error('could not store the end of a run', { id }, thrown);
    } finally {
      running.delete(id);
    }
  }

  return {
    async start(request, asked, { attended }) {
      const { key, owner, signal, memoryScope } = request;
      const model = await models.choose(key, asked.model);
      const session = await sessionFor(context, request, asked);
      await turns.requireBudget(key, model);
      // Loaded while the client waits, so that a wrong file is an error of the request.
      const { allowPrivateUrls: allowPrivate = false } = runtime.blueprint.settings;
      const attachments = await loadFiles(asked.files, { allowPrivate, signal });
      const release = turns.slots.take();
      try {
        const run = { id: newId('run'), owner, sessionId: session.id, createdAt: clock.now() };
        await store.addRun(run);
        const entry = { id: run.id, stop: new AbortController(), writer: await streams.create(run.id) };
        void work(entry, { key, session, model, memoryScope, attended }, { ...asked, attachments }).finally(release);
        return { ...run, state: 'running', endedAt: undefined, result: undefined };
      } catch (thrown) {
        release();
        throw thrown;
      }
    },
    async require(owner, id) {
      const run = await store.getRun(id);
      if (run === undefined || run.owner !== owner) throw new HttpError(404, 'run_not_found', `There is no run ${id}.`);
      if (run.state !== 'running' || running.has(id)) return run;
      await streams.settle(id, concludeRun);
      // The process may also have died between the end of the stream and that of the run.
      if ((await streams.isEnded(id)) === false) return run;
      const { exitCode } = exitFacts('failed');
      const line = { type: 'result', finalResponse: '', exitReason: 'failed', exitCode, error: { message: DIED } };
      const end = {
        state: 'unknown',
        sessionId: run.sessionId,
        endedAt: clock.now(),
        result: toJsonLine(line),
      } as const;
      await store.endRun(id, end);
      return (await store.getRun(id)) ?? { ...run, ...end };
    },
    live: (id) => running.get(id)?.live,
    stop(id) {
      const entry = running.get(id);
      entry?.stop.abort(new HermesError('The run was stopped.'));
      return entry !== undefined;
    },
  };
}

/** The session that the client names, or a new one. */
async function sessionFor(
  { runtime: { clock }, turns }: ApiContext,
  { key, header }: ApiRequest,
  { sessionId }: TurnRequest,
): Promise<TurnPlace['session']> {
  const named = sessionId ?? header('x-hermes-session-id')?.trim();
  if (named === undefined || named === '') return { id: newSessionId(clock.now()), isNew: true };
  return { id: await turns.requireSession(key, named), isNew: false };
}

/** Runs the turn, and stores each event before clients get it. */
async function runTurn(
  entry: Entry,
  conversation: Conversation,
  { text, instructions, attachments }: Message,
): Promise<RunResult> {
  const { stop, writer } = entry;
  stop.signal.throwIfAborted();
  const turn = conversation.queue({
    text,
    attachments,
    signal: stop.signal,
    ...(instructions !== undefined && { systemMessage: instructions }),
  });
  entry.live = { conversation, turn };
  try {
    // While an event is stored, the deltas that follow are merged, so a slow store does not slow down the turn.
    for await (const event of turn) if (event.type !== 'finished') await writer.write(toJsonLine(event));
  } catch (thrown) {
    // No client could follow the turn any more.
    turn.interrupt('its events could not be stored');
    await turn.result.catch(() => undefined);
    throw thrown;
  }
  return turn.result;
}

type RunEnding = { state: ApiRunState; result: JsonObject; sessionId?: string };

function endOfResult({ messages: _, ...rest }: RunResult): RunEnding {
  const { completed, interrupted, failed, exitReason, sessionId } = rest;
  const state = interrupted ? 'interrupted' : failed || !completed ? 'failed' : 'completed';
  const { exitCode } = exitFacts(exitReason);
  return { state, sessionId, result: toJsonLine({ type: 'result', ...rest, exitCode }) };
}

/** A turn that did not start, or could not be stored. */
function endOfStart(thrown: unknown, isStopped: boolean): RunEnding & { fault?: unknown } {
  const state = isStopped ? 'interrupted' : 'failed';
  const isExpected = isStopped || thrown instanceof HermesError;
  const message = isExpected ? errorMessage(thrown) : 'The run failed. The log has the details.';
  const line = { type: 'result', finalResponse: '', exitReason: state, exitCode: exitFacts(state).exitCode };
  return { state, result: toJsonLine({ ...line, error: { message } }), ...(!isExpected && { fault: thrown }) };
}
