import { type Message, newSessionId } from '../../../base/index.ts';
import type { ApiPrefix, StoredMessage } from '../../../contracts/index.ts';
import type { ApiContext, ApiRequest } from '../api-context.ts';
import type { ChatMessage, ChatRequest } from './chat-request.ts';
import { hashMessages, openingHash } from './prefix-hashes.ts';

/** The session in which a request continues, and what has to be done in it first. */
export type SessionPlan = {
  /** The session that the plan is made for; undefined for a new one. No other turn may change it meanwhile. */
  from: string | undefined;
  session: { id: string; isNew: boolean };
  /** The number of turns that the client has undone. */
  undo?: number;
  /** The session branches from `from` after this message. */
  branchAt?: number;
  /** Messages that Hermes does not know yet; the client has changed them, or another program has answered. */
  missing: readonly Message[];
};

/** Who a conversation belongs to. Requests with different scopes never share a session. */
export type Scope = readonly string[];

export type Lookup = {
  request: ChatRequest;
  scope: Scope;
  /** Whether a turn runs in a session, or is about to. */
  isBusy(sessionId: string): boolean;
};

/** Within this time, the same opening means that the user wants another answer, and later that it is a new chat. */
const REGENERATION_MS = 10 * 60_000;

/** A key, and what tells its users and chats apart. */
export function scopeOf({ owner, header }: ApiRequest, { user = '' }: ChatRequest, isPlain: boolean): Scope {
  const sent = ['x-hermes-session-key', 'x-openwebui-chat-id', 'x-openwebui-user-id'].map((name) => header(name) ?? '');
  return [owner, isPlain ? 'plain' : '', user, ...sent];
}

/**
 * Finds the session of a conversation by comparing what the client sends with what is stored: if all of it is known, the
 * conversation continues there with its cached prefix. If the client has changed the end of it, the session is rewound.
 * If it has changed something in between, the session branches at the last message that is equal.
 */
export async function findSession(context: ApiContext, lookup: Lookup): Promise<SessionPlan> {
  const { history, input } = lookup.request;
  const hashes = hashMessages(lookup.scope, history);
  for (let depth = hashes.length; depth > 0; ) {
    const found = await context.store.findPrefix(hashes.slice(0, depth).toReversed());
    if (found === undefined) break;
    depth = hashes.indexOf(found.hash);
    const plan = await continueFrom(context, found, toMessages(history.slice(depth + 1)));
    if (plan !== undefined) return plan;
  }
  const opening = history.length === 0 ? await findOpening(context, lookup, input) : undefined;
  return opening ?? startNew(context, toMessages(history));
}

export function startNew({ runtime }: ApiContext, missing: readonly Message[] = []): SessionPlan {
  return { from: undefined, session: { id: newSessionId(runtime.clock.now()), isNew: true }, missing };
}

/** Undefined if the message that the prefix names is no longer part of the session. */
async function continueFrom(
  { runtime: { store, clock } }: ApiContext,
  { sessionId: from, messageId }: ApiPrefix,
  missing: readonly Message[],
): Promise<SessionPlan | undefined> {
  const [last, ...tail] = await store.getMessages(from, { after: messageId - 1 });
  if (last?.id !== messageId) return undefined;
  const newest = (await store.newestInLineage(from))?.id ?? from;
  const isMoved = newest !== from;
  if (tail.length === 0 && !(isMoved && (await hasOwnMessages(store, newest))))
    return { from, session: { id: newest, isNew: false }, missing };
  // Turns that the client has replaced are undone. Those that it may return to are kept, by continuing in a branch.
  if (missing.length === 0 && !isMoved)
    return { from, session: { id: from, isNew: false }, undo: countTurns(tail), missing };
  return { from, session: { id: newSessionId(clock.now()), isNew: false }, branchAt: messageId, missing };
}

/** Whether a session that continues another one has messages of its own. */
async function hasOwnMessages(store: ApiContext['runtime']['store'], sessionId: string): Promise<boolean> {
  const messages = await store.getMessages(sessionId);
  return messages.some(({ copyOf, isReplacement }) => copyOf === undefined && !isReplacement);
}

/** A session that consists of this opening and its answer, which the client wants to have again. */
async function findOpening(
  { runtime: { store, clock }, store: api }: ApiContext,
  { request, scope, isBusy }: Lookup,
  input: readonly ChatMessage[],
): Promise<SessionPlan | undefined> {
  const found = await api.findPrefix([openingHash(scope, request.system, input)]);
  if (found === undefined || isBusy(found.sessionId)) return undefined;
  const { sessionId: id, messageId } = found;
  const messages = await store.getMessages(id);
  const [first] = messages;
  const isOnlyTurn = first?.id === messageId && countTurns(messages) === 1 && first.copyOf === undefined;
  const isMoved = (await store.newestInLineage(id))?.id !== id;
  if (!isOnlyTurn || isMoved || clock.now() - first.timestamp > REGENERATION_MS) return undefined;
  return { from: id, session: { id, isNew: false }, undo: 1, missing: [] };
}

function countTurns(messages: readonly StoredMessage[]): number {
  return messages.filter(({ message }) => message.role === 'user').length;
}

/** Messages of the client in the format of the store. Their files are only named: they were for an earlier answer. */
function toMessages(said: readonly ChatMessage[]): Message[] {
  const names = new Map(said.flatMap(({ toolCalls }) => toolCalls.map(({ id, name }) => [id, name] as const)));
  return said.map((message): Message => {
    const { role, text: content, toolCalls, toolCallId = '', files } = message;
    if (role === 'user') return { role, content: [content, ...files.map(({ name }) => `[file: ${name}]`)].join('\n') };
    if (role === 'tool') return { role, toolCallId, toolName: names.get(toolCallId) ?? 'tool', content };
    return { role, content, finishReason: 'stop', ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }) };
  });
}
