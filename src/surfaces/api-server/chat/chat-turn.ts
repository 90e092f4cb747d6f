import { HermesError, newId, type RunResult, type Usage } from '../../../base/index.ts';
import type { ApiPrefix } from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { ApiContext, ApiRequest } from '../api-context.ts';
import type { ToolSource } from '../../../tools/index.ts';
import type { ModelChoice } from '../models/api-models.ts';
import { appendToSession } from '../responses/place-response.ts';
import { isSessionId, type TurnPlace } from '../turns/turn-host.ts';
import type { ChatRequest } from './chat-request.ts';
import { type ClientCalls, type ClientWait, limitWait } from './client-tools.ts';
import { findSession, type Scope, scopeOf, type SessionPlan, startNew } from './find-session.ts';
import { createChatEvents, type ChatEvents, recordEvents } from './chat-events.ts';
import { hashRequest, hashTools, nextHash, openingHash } from './prefix-hashes.ts';
import { type PausedTurns, type TurnState, withoutResults } from './paused-turns.ts';
import { loadFiles } from './read-content.ts';

/** A turn that answers a chat completion. Several clients can wait for it, and it is interrupted when all are gone. */
export interface ChatTurn {
  /** The id of the completion. */
  readonly id: string;
  /** In seconds. */
  readonly created: number;
  readonly model: string;
  readonly events: ChatEvents;
  readonly result: Promise<RunResult>;
  /** What the client has seen after its last request; known at the end. */
  readonly lastUsage: Promise<Usage>;
  /** Resolves with the id of the session as soon as it is known. */
  readonly sessionId: Promise<string>;
  /** Adds a client, which is gone when the signal is aborted. */
  attach(signal: AbortSignal): void;
}

/** The answer to one request: the events of a turn from a position on. */
export type ChatAnswer = { turn: ChatTurn; from: number };

export type ChatCall = { http: ApiRequest; request: ChatRequest; model: ModelChoice };

export type ChatParts = { context: ApiContext; calls: ClientCalls; paused: PausedTurns };

/** Starts a turn for a request, or continues the one that waits for the results in it. */
export function answerChat(parts: ChatParts, call: ChatCall): ChatAnswer {
  const scope = scopeOf(call.http, call.request, call.model.isPlain);
  const continued = parts.paused.resume(scope, call.request);
  if (continued !== undefined) return continued;
  return { turn: startChatTurn(parts, { ...call, request: withoutResults(call.request) }, scope), from: 0 };
}

/** Errors of the start are in `result`. */
function startChatTurn({ context, calls, paused }: ChatParts, call: ChatCall, scope: Scope): ChatTurn {
  const { clock } = context.runtime;
  const clients = createClients();
  const session = Promise.withResolvers<string>();
  const usage = Promise.withResolvers<Usage>();
  for (const promise of [session.promise, usage.promise]) promise.catch(() => undefined);
  const state: TurnState = { turnId: newId('task'), latest: call.request, sessionKeys: [], steer: () => undefined };
  const events = createChatEvents((waiting) => {
    clients.pause({ clock, turns: context.turns, sessionKeys: state.sessionKeys });
    paused.add({ scope, turn, state, calls: waiting, from: events.size });
  });
  const tools = clientToolsOf(call.request, calls);
  const run = async () => {
    const running = {
      signal: clients.signal,
      events,
      state,
      tools,
      onSession: session.resolve,
      onUsage: usage.resolve,
    };
    try {
      return await runInSession(context, call, { scope, ...running });
    } catch (thrown) {
      for (const { reject } of [session, usage]) reject(thrown);
      throw thrown;
    } finally {
      clients.close();
      calls.forget(state.turnId);
      events.end();
    }
  };
  const result = run();
  // A client that only reads the events finds the error there.
  result.catch(() => undefined);
  const turn: ChatTurn = {
    id: newId('chatcmpl'),
    created: Math.floor(clock.now() / 1000),
    model: call.model.id,
    events,
    result,
    lastUsage: usage.promise,
    sessionId: session.promise,
    attach: clients.add,
  };
  return turn;
}

function clientToolsOf({ tools }: ChatRequest, calls: ClientCalls): ClientTools | undefined {
  if (tools.length === 0) return undefined;
  return { names: new Set(tools.map(({ name }) => name)), key: hashTools(tools), source: calls.sourceOf(tools) };
}

type ClientTools = { names: ReadonlySet<string>; key: string; source: ToolSource };

/** Its signal is aborted when the last client is gone, unless the turn waits for results. */
export function createClients() {
  const stop = new AbortController();
  let [waiting, isPaused] = [0, false];
  let endWait = () => {};
  return {
    signal: stop.signal,
    add(signal: AbortSignal): void {
      endWait();
      isPaused = false;
      waiting += 1;
      const onGone = () => {
        waiting -= 1;
        if (waiting === 0 && !isPaused) stop.abort(new HermesError('the client disconnected'));
      };
      if (signal.aborted) onGone();
      else signal.addEventListener('abort', onGone, { once: true });
    },
    /** The response to the client ends now, and its next request has the results. */
    pause(wait: ClientWait): void {
      isPaused = true;
      endWait = limitWait(wait, (reason) => stop.abort(reason));
    },
    close: () => endWait(),
  };
}

type Running = {
  scope: Scope;
  signal: AbortSignal;
  events: ChatEvents;
  state: TurnState;
  tools: ClientTools | undefined;
  onSession(id: string): void;
  onUsage(usage: Usage): void;
};

/** Decides where the turn runs while no other request changes that session. */
async function runInSession(context: ApiContext, call: ChatCall, running: Running): Promise<RunResult> {
  const { locks } = context.turns;
  const { scope } = running;
  const find = (isBusy: (id: string) => boolean) => planOf(context, call, { scope, isBusy });
  for (;;) {
    const plan = await find(locks.isBusy);
    if (plan.from === undefined) return runPlan(context, call, { plan, ...running });
    const done = await locks.run(plan.from, async () => {
      // What ran meanwhile may have changed where the conversation continues.
      const current = await find((id) => id !== plan.from && locks.isBusy(id));
      if (current.from !== plan.from) return undefined;
      return { result: await runPlan(context, call, { plan: current, ...running }) };
    });
    if (done !== undefined) return done.result;
  }
}

async function planOf(
  context: ApiContext,
  { http, request, model }: ChatCall,
  lookup: { scope: Scope; isBusy(id: string): boolean },
): Promise<SessionPlan> {
  // A request for a title contains the whole conversation, and nothing continues it.
  if (model.isPlain) return startNew(context);
  const named = http.header('x-hermes-session-id')?.trim();
  if (named === undefined || named === '') return findSession(context, { request, ...lookup });
  if (isSessionId(named) && (await context.runtime.store.getSession(named)) === undefined)
    return { from: named, session: { id: named, isNew: true }, missing: [] };
  const id = await context.turns.requireSession(http.key, named);
  return { from: named, session: { id, isNew: false }, missing: [] };
}

type Planned = Running & { plan: SessionPlan };

async function runPlan(context: ApiContext, call: ChatCall, planned: Planned): Promise<RunResult> {
  const { plan, signal, tools, state, onSession } = planned;
  // A client that left while it waited changes nothing: not even the turn that its request replaces is undone.
  signal.throwIfAborted();
  await prepareStored(context, call.http.owner, plan);
  const { key, memoryScope } = call.http;
  const place: TurnPlace = { key, memoryScope, session: plan.session, model: call.model, tools };
  return context.turns.use(place, async (conversation) => {
    signal.throwIfAborted();
    if (plan.undo !== undefined) await conversation.undo(plan.undo);
    // The agent may have been open before the messages were added.
    else if (plan.missing.length > 0 && !plan.session.isNew) await conversation.reopen();
    state.sessionKeys = [plan.from ?? '', conversation.sessionId];
    onSession(conversation.sessionId);
    return runTurn(context, call, { ...planned, conversation });
  });
}

/** Creates the branch and adds the messages that the client knows and the session does not. */
async function prepareStored({ runtime, store: api }: ApiContext, owner: string, plan: SessionPlan): Promise<void> {
  const { store, clock } = runtime;
  const { from, session, branchAt, missing } = plan;
  if (branchAt !== undefined && from !== undefined) {
    const source = (await store.getSession(from))?.source ?? 'api_server';
    await store.branchSession(from, { id: session.id, source, startedAt: clock.now(), upTo: branchAt });
    await api.bindSession(session.id, owner, clock.now());
  }
  if (missing.length > 0 && !session.isNew) await appendToSession(runtime, session, missing);
}

async function runTurn(
  context: ApiContext,
  { request, model }: ChatCall,
  { plan, scope, signal, events, state, tools, onUsage, conversation }: Planned & { conversation: Conversation },
): Promise<RunResult> {
  const { store, blueprint } = context.runtime;
  const sources = request.input.flatMap(({ files }) => files);
  const attachments = await loadFiles(sources, { allowPrivate: blueprint.settings.allowPrivateUrls === true, signal });
  const before = (await store.getMessages(conversation.sessionId)).at(-1)?.id ?? 0;
  signal.throwIfAborted();
  const turn = conversation.queue({
    turnId: state.turnId,
    text: request.input.map(({ text }) => text).join('\n\n'),
    signal,
    attachments,
    ...(request.system !== '' && { systemMessage: request.system }),
    ...(request.outputSchema && { outputSchema: request.outputSchema }),
    ...(plan.session.isNew && plan.missing.length > 0 && { history: plan.missing }),
  });
  state.steer = (text) => turn.steer(text);
  const stop = () => turn.interrupt('the client disconnected');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const seen = await recordEvents(turn, events, tools?.names ?? NO_TOOLS);
    const result = await turn.result;
    onUsage(seen.usage);
    const { latest } = state;
    if (!model.isPlain) await savePrefixes(context, request, { scope, result, before, seen: seen.text, plan, latest });
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const NO_TOOLS: ReadonlySet<string> = new Set();

type Finished = {
  scope: Scope;
  result: RunResult;
  before: number;
  seen: string;
  plan: SessionPlan;
  /** The last request of the turn, with the results of all calls of the client. */
  latest: ChatRequest;
};

/** Remembers which conversation of the client ends at which message, so that the next request finds the session. */
async function savePrefixes(
  { runtime, store }: ApiContext,
  request: ChatRequest,
  { scope, result, before, seen, plan, latest }: Finished,
): Promise<void> {
  const { sessionId } = result;
  const stored = await runtime.store.getMessages(sessionId, { after: before });
  // A new session starts with the messages of the client.
  const added = stored.slice(plan.session.isNew ? plan.missing.length : 0);
  const last = added.at(-1);
  const said = added.find(({ message, copyOf }) => message.role === 'user' && copyOf === undefined);
  if (last === undefined) return;
  const asked = hashRequest(scope, request);
  const isAnswered = !result.interrupted && !result.failed;
  const prefixes: ApiPrefix[] = [];
  // After a turn without an answer, the client continues from its own message, and the session from its end.
  const askedAt = isAnswered ? said : last;
  if (askedAt !== undefined) prefixes.push({ hash: asked, sessionId, messageId: askedAt.id });
  if (said !== undefined && request.history.length === 0)
    prefixes.push({ hash: openingHash(scope, request.system, request.input), sessionId, messageId: said.id });
  if (isAnswered)
    for (const text of new Set([seen, result.finalResponse]))
      prefixes.push({ hash: nextHash(hashRequest(scope, latest), answerOf(text)), sessionId, messageId: last.id });
  await store.savePrefixes(prefixes);
}

function answerOf(text: string) {
  return { role: 'assistant', text, files: [], toolCalls: [], toolCallId: undefined } as const;
}
