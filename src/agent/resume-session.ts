import { HermesError, isJsonObject, type Message } from '../base/index.ts';
import type { SessionRecord, SessionStore, TodoItem } from '../contracts/index.ts';
import type { AgentSession, SessionParts } from './agent-session.ts';
import { closingDetails, closingResults } from './history.ts';
import { measure, type Measured } from './token-figure.ts';

// After a crash, and in a branch of a session whose turn went on elsewhere.
const UNKNOWN_OUTCOME =
  'No result of this call was stored here. It may have run in part or in full: check before doing it again.';

const TODO = 'todo';

/** Reads a stored session in, as it is now, and closes calls that a crash left open. */
export async function resumeSession(
  { store, history, toolState, prompt, place, keepApprovals }: SessionParts,
  stored: SessionRecord,
  append: AgentSession['append'],
): Promise<void> {
  const { id } = stored;
  const origins = await findOrigins(store, stored);
  place.lineageId = origins.oldest;
  keepApprovals(origins.root);
  place.source = stored.source;
  history.replace(await loadConversation(store, stored));
  place.measured = await lastMeasured(store, id, history.messages);
  toolState.todos = restoreTodos(history.messages) ?? (await findTodos(store, stored));
  prompt.restore(stored);
  if (stored.endedAt !== undefined) await store.reopenSession(id);
  const closing = closingResults(history.messages, UNKNOWN_OUTCOME);
  if (closing.length > 0) await append(closing, undefined, closingDetails(closing));
}

/** What the last call took, as it was counted: also after a restart the figure is not a mere guess. */
async function lastMeasured(
  store: SessionStore,
  id: string,
  history: readonly Message[],
): Promise<Measured | undefined> {
  const answer = history.findLastIndex(({ role }) => role === 'assistant');
  const call = answer < 0 ? undefined : await store.getLastCall(id);
  return call && measure(call, history[answer], answer + 1);
}

/** What there is of a session. One that was compressed by another process must not go on beside its continuation. */
async function loadConversation(store: SessionStore, { id, endReason }: SessionRecord): Promise<Message[]> {
  const newest = endReason === 'compression' ? await store.newestInLineage(id) : undefined;
  if (newest === undefined || newest.id === id) return store.getConversation(id);
  throw new HermesError(`Session ${id} was compressed meanwhile and goes on as session ${newest.id}.`, {
    hint: `Go on there: hermes --resume ${newest.id}`,
  });
}

/** The to-do list as the newest result of the `todo` tool shows it; undefined where there is none that is whole. */
function restoreTodos(history: readonly Message[]): TodoItem[] | undefined {
  const newest = history.findLast((message) => message.role === 'tool' && message.toolName === TODO);
  return newest === undefined ? undefined : parseTodos(newest.content);
}

/** What a compression took out of the history, or left a line of, is still in the sessions before. */
async function findTodos(store: SessionStore, { id, parentSessionId }: SessionRecord): Promise<TodoItem[]> {
  const result = parentSessionId === undefined ? undefined : await store.getLastResult(id, TODO);
  return (result === undefined ? undefined : parseTodos(result)) ?? [];
}

function parseTodos(content: string): TodoItem[] | undefined {
  try {
    // The tool answers in one line; a steered message may follow it.
    const parsed: unknown = JSON.parse(content.split('\n', 1)[0] ?? '');
    const todos = isJsonObject(parsed) ? parsed['todos'] : undefined;
    return Array.isArray(todos) ? (todos.filter(isJsonObject) as unknown as TodoItem[]) : undefined;
  } catch {
    return undefined;
  }
}

/** The oldest session of a lineage, and the root of one of its sessions. */
async function findOrigins(store: Pick<SessionStore, 'getAncestors'>, session: SessionRecord) {
  const ancestors = session.parentSessionId === undefined ? [] : await store.getAncestors(session.id);
  return { oldest: ancestors[0]?.id ?? session.id, root: rootOf(session, ancestors) };
}

/** A branch goes its own way, and a session that began before its parent ended is its child: both are their own roots. */
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
