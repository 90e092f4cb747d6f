import type { Message } from '../../base/index.ts';
import { lineUpTo, type SessionReader, type StoredMessage, SUBAGENT_SOURCE } from '../../contracts/index.ts';
import { cutMiddle, shorten } from '../../util/index.ts';

/** What a call of `session_search` works with. */
export type Recalling = {
  sessions: SessionReader;
  limit: number;
  window: number;
  roles: readonly Message['role'][];
};

/** Work for a turn, not conversations of a person. */
export const HIDDEN_SOURCES: readonly string[] = [SUBAGENT_SOURCE, 'tool', 'kanban'];

/** A session with those it continues and those that continue it, oldest first; branches and work for turns go their own way. */
export async function lineageOf(sessions: SessionReader, id: string): Promise<string[]> {
  const line = new Set(await lineUpTo(sessions, id));
  for (const { id: child, parentSessionId, isBranch, isDelegated } of await sessions.getDescendants(id)) {
    if (line.has(parentSessionId ?? '') && !isBranch && !isDelegated) line.add(child);
  }
  return [...line];
}

/** One message in one line, with the id by which it can be read whole. */
export function messageLine({ id, message }: StoredMessage, limit: number): string {
  return `[${id}] ${message.role}: ${shorten(textOf(message), limit)}`;
}

/** One message as it is, its middle left out where it is longer. */
export function wholeMessage({ id, message }: StoredMessage, limit: number): string {
  return `[${id}] ${message.role}: ${cutMiddle(textOf(message), limit)}`;
}

/** What a person would call the text of a message: its words, or what it calls. */
export function textOf(message: Message): string {
  if (message.role === 'tool') return `${message.toolName} → ${message.content}`;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.map((call) => `→ ${call.name} ${call.arguments}`);
  return [message.content.trim(), ...called].filter((part) => part !== '').join('\n');
}
