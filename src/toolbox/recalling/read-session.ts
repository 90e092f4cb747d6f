import { messagesOnce, type StoredMessage } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { messageLine, type Recalling, wholeMessage } from './recalling.ts';

const FIRST = 20;
const LAST = 10;
const SHORT = 400;
const NEAR = 1_500;
const ANCHOR = 8_000;
const HITS = 20;

/** How a conversation began and how it ended. */
export async function readSession({ sessions, roles }: Recalling, lineage: readonly string[]): Promise<string> {
  const all = (await messagesSaid(sessions, lineage)).filter(({ message }) => roles.includes(message.role));
  const lines = all.map((stored) => messageLine(stored, SHORT));
  if (lines.length <= FIRST + LAST) return lines.join('\n') || 'The session has no messages.';
  const left = `… ${lines.length - FIRST - LAST} messages between; read them with around_message_id …`;
  return [...lines.slice(0, FIRST), left, ...lines.slice(-LAST)].join('\n');
}

/** A message, whole where that is possible, and its neighbours, whatever their role. */
export async function readAround(
  { sessions, window }: Recalling,
  lineage: readonly string[],
  messageId: number,
): Promise<string> {
  const all = await messagesSaid(sessions, lineage);
  const place = all.findIndex(({ id }) => id === messageId);
  if (place === -1) throw new ToolFailure(`The session has no message ${messageId}.`);
  const first = Math.max(place - window, 0);
  return all
    .slice(first, place + window + 1)
    .map((stored) => wholeMessage(stored, stored.id === messageId ? ANCHOR : NEAR))
    .join('\n');
}

/** Where a query is answered in one conversation. */
export async function searchSession(recalling: Recalling, lineage: readonly string[], query: string): Promise<string> {
  const { sessions, roles } = recalling;
  const { hits } = await sessions.searchMessages({ text: query, sessions: lineage, roles, limit: HITS });
  if (hits.length === 0) return `The session has nothing about ${query} in messages of ${roles.join(', ')}.`;
  return hits.map(({ id, role, snippet }) => `[${id}] ${role}: ${snippet}`).join('\n');
}

/** Without what only stands for some of them. */
async function messagesSaid(sessions: Recalling['sessions'], lineage: readonly string[]): Promise<StoredMessage[]> {
  return (await messagesOnce(sessions, lineage)).filter(({ isReplacement }) => !isReplacement);
}
