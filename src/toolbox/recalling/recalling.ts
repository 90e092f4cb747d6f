import type { Message } from '../../base/index.ts';
import type { SessionReader, StoredMessage } from '../../contracts/index.ts';
import { joinCut, shorten, splitMiddle } from '../../util/index.ts';

/** What a call of `session_search` works with. */
export type Recalling = {
  sessions: SessionReader;
  limit: number;
  window: number;
  roles: readonly Message['role'][];
};

/** Work for a turn, not conversations of a person. */
export const HIDDEN_SOURCES: readonly string[] = ['subagent', 'tool', 'kanban'];

/** A session with those it continues and those that continue it, oldest first; branches and work for turns go their own way. */
export async function lineageOf(sessions: SessionReader, id: string): Promise<string[]> {
  const continued = [...(await sessions.getAncestors(id)).map((session) => session.id), id];
  const line = new Set(continued);
  for (const { id: child, parentSessionId, isBranch, source } of await sessions.getDescendants(id)) {
    if (line.has(parentSessionId ?? '') && !isBranch && !HIDDEN_SOURCES.includes(source)) line.add(child);
  }
  return [...line];
}

/** Everything that came from the same beginning, branches too. */
export async function familyOf(sessions: SessionReader, id: string): Promise<string[]> {
  const root = (await sessions.getAncestors(id))[0]?.id ?? id;
  return [root, ...(await sessions.getDescendants(root)).map((session) => session.id)];
}

/** All messages of a lineage in their order, each once, and without what only stands in for some of them. */
export async function originalsOf(sessions: SessionReader, lineage: readonly string[]): Promise<StoredMessage[]> {
  const all: StoredMessage[] = [];
  for (const id of lineage) {
    const messages = await sessions.getMessages(id);
    all.push(...messages.filter(({ copyOf, isReplacement }) => copyOf === undefined && !isReplacement));
  }
  return all;
}

/** One message in one line, with the id by which it can be read whole. */
export function messageLine({ id, message }: StoredMessage, limit: number): string {
  return `[${id}] ${message.role}: ${shorten(textOf(message), limit)}`;
}

/** One message as it is, its middle left out where it is longer. */
export function wholeMessage({ id, message }: StoredMessage, limit: number): string {
  return `[${id}] ${message.role}: ${cut(textOf(message), limit)}`;
}

export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : joinCut(splitMiddle(text, limit));
}

/** What a person would call the text of a message: its words, or what it calls. */
export function textOf(message: Message): string {
  if (message.role === 'tool') return `${message.toolName} → ${message.content}`;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.map((call) => `→ ${call.name} ${call.arguments}`);
  return [message.content.trim(), ...called].filter((part) => part !== '').join('\n');
}

/** The day and time here, to the minute. */
export function dayAndTime(timestamp: number): string {
  const at = new Date(timestamp);
  if (timestamp === 0 || Number.isNaN(at.getTime())) return 'unknown time';
  return `${at.toLocaleDateString('sv-SE')} ${at.toLocaleTimeString('sv-SE').slice(0, 5)}`;
}
