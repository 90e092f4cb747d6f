import { HermesError, isJsonObject, type Message } from '../base/index.ts';
import {
  type SessionRecord,
  type SessionStore,
  SHORT_CACHE_MS,
  type StoredMessage,
  type TodoItem,
} from '../contracts/index.ts';
import type { AgentSession, SessionParts } from './agent-session.ts';
import { closingDetails, closingResults } from './history.ts';
import { measure, type MeasuredUsage } from './token-figure.ts';

// Used after a crash, and in a branch of a session whose turn continued elsewhere.
const UNKNOWN_OUTCOME =
  'No result of this call was stored. It may have run partly or completely: check before you repeat it.';

const TODO = 'todo';

/** Loads a stored session and closes tool calls that a crash left without a result. */
export async function resumeSession(
  parts: SessionParts,
  stored: SessionRecord,
  append: AgentSession['append'],
): Promise<void> {
  const { store, history, toolState, prompt, current, useApprovals } = parts;
  const { id } = stored;
  const origins = await findLineage(store, stored);
  current.lineageId = origins.oldest;
  useApprovals(origins.root);
  current.source = stored.source;
  current.cacheHistory.resumed = stored;
  const loaded = await loadConversation(store, stored);
  history.replace(loaded.map(({ message }) => message));
  current.inherited = countInherited(loaded);
  current.measured = await lastMeasured(parts, id, loaded);
  parts.sent.cacheExpired ||= hasPause(loaded);
  toolState.todos = restoreTodos(history.messages) ?? (await findTodos(store, stored));
  prompt.restore(stored);
  current.movedFrom ??= await updateOrigin(parts, stored);
  if (stored.endedAt !== undefined) await store.reopenSession(id);
  const closing = closingResults(history.messages, UNKNOWN_OUTCOME);
  if (closing.length > 0) await append(closing, undefined, closingDetails(closing));
}

/**
 * Stores where and how a resumed session is used now. Returns the previous working directory if it changed; then the
 * prompt is rebuilt, because it contains the directory and its context files.
 */
async function updateOrigin({ store, prompt, origin }: SessionParts, stored: SessionRecord) {
  if (origin === undefined) return undefined;
  const { workingDirectory } = origin;
  // A chat that a single command continued is still a chat.
  const kind = stored.origin?.kind === 'interactive' ? 'interactive' : origin.kind;
  const hasMoved = stored.origin !== undefined && stored.origin.workingDirectory !== workingDirectory;
  if (hasMoved || stored.origin?.kind !== kind) await store.setSessionOrigin(stored.id, { workingDirectory, kind });
  if (!hasMoved) return undefined;
  prompt.renew();
  return stored.origin?.workingDirectory;
}

/**
 * Actual usage of the last stored call, so that the token figure is not just an estimate after a restart. It covers the
 * messages up to our newest answer: later ones, also answers, were stored by another program, which records no calls
 * and no producer.
 */
async function lastMeasured(
  { store, sent }: SessionParts,
  id: string,
  loaded: readonly StoredMessage[],
): Promise<MeasuredUsage | undefined> {
  const place = loaded.findLastIndex(({ message, copyOf }) => isOwnAnswer(message) && copyOf === undefined);
  const answer = loaded[place];
  const call = answer && (await store.getLastCall(id));
  // An answer from before the call belongs to an earlier one: the answer to this call was undone.
  if (call === undefined || answer === undefined || answer.timestamp < call.startedAt) return undefined;
  sent.recordCall(call, call);
  const measured = measure(call, answer.message, place + 1);
  return measured && { ...measured, isStored: true };
}

/** Copies of messages of the parent, and the replacement of others, are at the start. */
function countInherited(loaded: readonly StoredMessage[]): number {
  const own = loaded.findIndex(({ copyOf, isReplacement }) => copyOf === undefined && !isReplacement);
  return own < 0 ? loaded.length : own;
}

/** Whether so much time has passed between two messages that the provider's cache expired. */
function hasPause(loaded: readonly StoredMessage[]): boolean {
  return loaded.some(
    ({ timestamp }, index) => timestamp - (loaded[index - 1]?.timestamp ?? timestamp) > SHORT_CACHE_MS,
  );
}

function isOwnAnswer(message: Message): boolean {
  return message.role === 'assistant' && message.producer !== undefined;
}

/**
 * Loads the history. Throws if another process has compressed the session, because only the child session may
 * continue.
 */
async function loadConversation(store: SessionStore, { id, endReason }: SessionRecord): Promise<StoredMessage[]> {
  const newest = endReason === 'compression' ? await store.newestInLineage(id) : undefined;
  if (newest === undefined || newest.id === id) return store.getMessages(id);
  throw new HermesError(`Session ${id} was compressed by another process and continues as session ${newest.id}.`, {
    hint: `Continue there: hermes --resume ${newest.id}`,
  });
}

/** The to-do list from the newest result of the `todo` tool; undefined if there is no complete one. */
function restoreTodos(history: readonly Message[]): TodoItem[] | undefined {
  const newest = history.findLast((message) => message.role === 'tool' && message.toolName === TODO);
  return newest === undefined ? undefined : parseTodos(newest.content);
}

/**
 * Looks for the to-do list in the parent sessions: compression may have removed or shortened the result in this one.
 */
async function findTodos(store: SessionStore, { id, parentSessionId }: SessionRecord): Promise<TodoItem[]> {
  const result = parentSessionId === undefined ? undefined : await store.getLastResult(id, TODO);
  return (result === undefined ? undefined : parseTodos(result)) ?? [];
}

function parseTodos(content: string): TodoItem[] | undefined {
  try {
    // The tool returns one line of JSON; a steered message may follow it.
    const parsed: unknown = JSON.parse(content.split('\n', 1)[0] ?? '');
    const todos = isJsonObject(parsed) ? parsed['todos'] : undefined;
    return Array.isArray(todos) ? (todos.filter(isJsonObject) as unknown as TodoItem[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the oldest session of the lineage, and the session root. */
async function findLineage(store: Pick<SessionStore, 'getAncestors'>, session: SessionRecord) {
  const ancestors = session.parentSessionId === undefined ? [] : await store.getAncestors(session.id);
  return { oldest: ancestors[0]?.id ?? session.id, root: rootOf(session, ancestors) };
}

/** The session root. A branch is its own root, and so is a session that began before its parent ended. */
function rootOf(session: SessionRecord, ancestors: readonly SessionRecord[]): string {
  let root = session;
  for (const parent of ancestors.toReversed()) {
    if (!continues(root, parent)) break;
    root = parent;
  }
  return root.id;
}

function continues(session: SessionRecord, parent: SessionRecord): boolean {
  if (session.isBranch || session.isDelegated || session.parentSessionId !== parent.id) return false;
  return parent.endReason === 'compression' && session.startedAt >= (parent.endedAt ?? Number.POSITIVE_INFINITY);
}
