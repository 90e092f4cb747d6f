import type { Message } from '../../base/index.ts';
import { lineageUpTo, type SessionReader, type StoredMessage, SUBAGENT_SOURCE } from '../../contracts/index.ts';
import { truncateMiddle, shorten } from '../../util/index.ts';

/** The parameters of one `session_search` call. */
export type SessionSearchOptions = {
  sessions: SessionReader;
  limit: number;
  window: number;
  roles: readonly Message['role'][];
  /** Summarises a transcript with regard to a query; absent if no model is configured for that. */
  summarise?: ((found: { transcript: string; query: string }) => Promise<string>) | undefined;
};

/** How the delimiters around the results of the context tools describe the text. */
export const EARLIER_MESSAGES = 'earlier messages of this conversation, quoted';

/** Sources of sessions that are not conversations with a user. */
export const HIDDEN_SOURCES: readonly string[] = [SUBAGENT_SOURCE, 'tool', 'kanban'];

/** The sessions of a lineage, oldest first, without branches and delegated sessions. */
export async function lineageOf(sessions: SessionReader, id: string): Promise<string[]> {
  const line = new Set(await lineageUpTo(sessions, id));
  for (const { id: child, parentSessionId, isBranch, isDelegated } of await sessions.getDescendants(id)) {
    if (line.has(parentSessionId ?? '') && !isBranch && !isDelegated) line.add(child);
  }
  return [...line];
}

/** A message on one line, with the id by which it can be read in full. */
export function messageLine({ id, message }: StoredMessage, limit: number): string {
  return `[${id}] ${message.role}: ${shorten(textOf(message), limit)}`;
}

/** A message with its middle omitted if it exceeds the limit. */
export function wholeMessage({ id, message }: StoredMessage, limit: number): string {
  return `[${id}] ${message.role}: ${truncateMiddle(textOf(message), limit)}`;
}

/** The readable text of a message: its content and its tool calls. */
export function textOf(message: Message): string {
  if (message.role === 'tool') return `${message.toolName} → ${message.content}`;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.map((call) => `→ ${call.name} ${call.arguments}`);
  return [message.content.trim(), ...called].filter((part) => part !== '').join('\n');
}
