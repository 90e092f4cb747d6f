import { HermesError, newId, type RunResult } from '../../../base/index.ts';
import type { ApiPrefix } from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { ApiContext, ApiRequest } from '../api-context.ts';
import type { ModelChoice } from '../models/api-models.ts';
import type { TurnPlace } from '../turns/turn-host.ts';
import type { ChatRequest } from './chat-request.ts';
import { findSession, type Scope, scopeOf, type SessionPlan, startNew } from './find-session.ts';
import { createChatEvents, type ChatEvents, recordEvents } from './chat-events.ts';
import { hashMessages, nextHash, openingHash } from './prefix-hashes.ts';
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
  /** Resolves with the id of the session as soon as it is known. */
  readonly sessionId: Promise<string>;
  /** Adds a client, which is gone when the signal is aborted. */
  attach(signal: AbortSignal): void;
}

export type ChatCall = { http: ApiRequest; request: ChatRequest; model: ModelChoice };

/** Starts a turn for a request. Errors of the start are in `result`. */
export function startChatTurn(context: ApiContext, call: ChatCall): ChatTurn {
  const clients = createClients();
  const events = createChatEvents();
  const session = Promise.withResolvers<string>();
  session.promise.catch(() => undefined);
  const run = async () => {
    try {
      return await runInSession(context, call, {
        signal: clients.signal,
        events,
        onSession: session.resolve,
      });
    } catch (thrown) {
      session.reject(thrown);
      throw thrown;
    } finally {
      events.end();
    }
  };
  const result = run();
  // A client that only reads the events finds the error there.
  result.catch(() => undefined);
  return {
    id: newId('chatcmpl'),
    created: Math.floor(context.runtime.clock.now() / 1000),
    model: call.model.id,
    events,
    result,
    sessionId: session.promise,
    attach: clients.add,
  };
}

/** Its signal is aborted when the last client is gone. */
export function createClients() {
  const stop = new AbortController();
  let waiting = 0;
  return {
    signal: stop.signal,
    add(signal: AbortSignal): void {
      waiting += 1;
      const onGone = () => {
        waiting -= 1;
        if (waiting === 0) stop.abort(new HermesError('the client disconnected'));
      };
      if (signal.aborted) onGone();
      else signal.addEventListener('abort', onGone, { once: true });
    },
  };
}

type Running = { signal: AbortSignal; events: ChatEvents; onSession(id: string): void };

/** Decides where the turn runs while no other request changes that session. */
async function runInSession(context: ApiContext, call: ChatCall, running: Running): Promise<RunResult> {
  const { locks } = context.turns;
  const scope = scopeOf(call.http, call.request, call.model.isPlain);
  const find = (isBusy: (id: string) => boolean) => planOf(context, call, { scope, isBusy });
  for (;;) {
    const plan = await find(locks.isBusy);
    if (plan.from === undefined) return runPlan(context, call, { plan, scope, ...running });
    const done = await locks.run(plan.from, async () => {
      running.signal.throwIfAborted();
      // What ran meanwhile may have changed where the conversation continues.
      const current = await find((id) => id !== plan.from && locks.isBusy(id));
      if (current.from !== plan.from) return undefined;
      return { result: await runPlan(context, call, { plan: current, scope, ...running }) };
    });
    if (done !== undefined) return done.result;
  }
}

const SESSION_ID = /^[\w.:-]{1,128}$/;

async function planOf(
  context: ApiContext,
  { http, request, model }: ChatCall,
  lookup: { scope: Scope; isBusy(id: string): boolean },
): Promise<SessionPlan> {
  // Requests for titles and the like contain the whole conversation, and nothing continues them.
  if (model.isPlain) return startNew(context);
  const named = http.header('x-hermes-session-id')?.trim();
  if (named === undefined || named === '') return findSession(context, { request, ...lookup });
  if ((await context.runtime.store.getSession(named)) === undefined && SESSION_ID.test(named))
    return { from: named, session: { id: named, isNew: true }, missing: [] };
  const id = await context.turns.requireSession(http.key, named);
  return { from: named, session: { id, isNew: false }, missing: [] };
}

type Planned = Running & { plan: SessionPlan; scope: Scope };

async function runPlan(context: ApiContext, call: ChatCall, planned: Planned): Promise<RunResult> {
  const { plan, onSession } = planned;
  await prepareStored(context, call.http.owner, plan);
  const place: TurnPlace = { key: call.http.key, session: plan.session, model: call.model };
  return context.turns.use(place, async (conversation) => {
    if (plan.undo !== undefined) await conversation.undo(plan.undo);
    // The agent may have been open before the messages were added.
    else if (plan.missing.length > 0 && !plan.session.isNew) await conversation.reopen();
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
  if (missing.length > 0 && !session.isNew) await store.appendMessages(session.id, missing);
}

async function runTurn(
  context: ApiContext,
  { request, model }: ChatCall,
  { plan, scope, signal, events, conversation }: Planned & { conversation: Conversation },
): Promise<RunResult> {
  const { store, blueprint } = context.runtime;
  const sources = request.input.flatMap(({ files }) => files);
  const attachments = await loadFiles(sources, { allowPrivate: blueprint.settings.allowPrivateUrls === true, signal });
  const before = (await store.getMessages(conversation.sessionId)).at(-1)?.id ?? 0;
  signal.throwIfAborted();
  const turn = conversation.queue({
    text: request.input.map(({ text }) => text).join('\n\n'),
    signal,
    attachments,
    ...(request.system !== '' && { systemMessage: request.system }),
    ...(request.outputSchema && { outputSchema: request.outputSchema }),
    ...(plan.session.isNew && plan.missing.length > 0 && { history: plan.missing }),
  });
  const stop = () => turn.interrupt('the client disconnected');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const seen = await recordEvents(turn, events);
    const result = await turn.result;
    if (!model.isPlain) await savePrefixes(context, request, { scope, result, before, seen, plan });
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Finished = { scope: Scope; result: RunResult; before: number; seen: string; plan: SessionPlan };

/** Remembers which conversation of the client ends at which message, so that the next request finds the session. */
async function savePrefixes(
  { runtime, store }: ApiContext,
  request: ChatRequest,
  { scope, result, before, seen, plan }: Finished,
): Promise<void> {
  const { sessionId } = result;
  const stored = await runtime.store.getMessages(sessionId, { after: before });
  // A new session starts with the messages of the client.
  const added = stored.slice(plan.session.isNew ? plan.missing.length : 0);
  const last = added.at(-1);
  const said = added.find(({ message, copyOf }) => message.role === 'user' && copyOf === undefined);
  if (last === undefined) return;
  const asked = hashMessages(scope, [...request.history, ...request.input]).at(-1) ?? '';
  const isAnswered = !result.interrupted && !result.failed;
  const prefixes: ApiPrefix[] = [];
  // After a turn without an answer, the client continues from its own message, and the session from its end.
  const askedAt = isAnswered ? said : last;
  if (askedAt !== undefined) prefixes.push({ hash: asked, sessionId, messageId: askedAt.id });
  if (said !== undefined && request.history.length === 0)
    prefixes.push({ hash: openingHash(scope, request.system, request.input), sessionId, messageId: said.id });
  if (isAnswered)
    for (const text of new Set([seen, result.finalResponse]))
      prefixes.push({ hash: nextHash(asked, answerOf(text)), sessionId, messageId: last.id });
  await store.savePrefixes(prefixes);
}

function answerOf(text: string) {
  return { role: 'assistant', text, files: [], toolCalls: [], toolCallId: undefined } as const;
}
