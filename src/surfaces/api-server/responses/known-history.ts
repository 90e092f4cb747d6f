import type { ApiContext, ApiRequest } from '../api-context.ts';
import type { ChatMessage } from '../chat/chat-request.ts';
import { type Scope, scopeOf } from '../chat/find-session.ts';
import { hashMessages } from '../chat/prefix-hashes.ts';
import { type Item, textOf } from './items.ts';

/** The point in a session that a history of a client has reached, and what follows it in that history. */
export type KnownPoint = { sessionId: string; lastMessage: number; missing: ChatMessage[] };

/** Who a history belongs to. Chat completions have prefixes of their own, because their instructions are stored. */
export function historyScope(http: ApiRequest, user: string | undefined): Scope {
  return ['responses', ...scopeOf(http, { user }, false)];
}

/** Finds the session in which the longest known part of a history was said; undefined if none is known. */
export async function findKnownPoint(
  { store, runtime }: Pick<ApiContext, 'store' | 'runtime'>,
  scope: Scope,
  history: readonly ChatMessage[],
): Promise<KnownPoint | undefined> {
  const said = spokenPart(history);
  const hashes = hashMessages(scope, said);
  for (let depth = hashes.length; depth > 0; ) {
    const found = await store.findPrefix(hashes.slice(0, depth).toReversed());
    if (found === undefined) return undefined;
    depth = hashes.indexOf(found.hash);
    const { sessionId, messageId: lastMessage } = found;
    // The message may have been undone since.
    const [last] = await runtime.store.getMessages(sessionId, { after: lastMessage - 1, limit: 1 });
    if (last?.id === lastMessage) return { sessionId, lastMessage, missing: said.slice(depth + 1) };
  }
  return undefined;
}

/** Remembers at which message a conversation ends that a client knows with this answer. */
export async function rememberHistory(
  { store }: Pick<ApiContext, 'store'>,
  scope: Scope,
  said: readonly ChatMessage[],
  ended: { sessionId: string; lastMessage: number; output: readonly Item[] },
): Promise<void> {
  const { sessionId, lastMessage, output } = ended;
  const answers = output.flatMap((item) => (item.type === 'message' ? [spoken('assistant', textOf([item]))] : []));
  const hash = hashMessages(scope, spokenPart([...said, ...answers])).at(-1);
  if (hash !== undefined && answers.length > 0) await store.savePrefixes([{ hash, sessionId, messageId: lastMessage }]);
}

/**
 * What was said in a history. Clients return the tool calls of the agent, or do not; and an answer is one message for
 * some and several for others.
 */
function spokenPart(history: readonly ChatMessage[]): ChatMessage[] {
  const said: ChatMessage[] = [];
  for (const { role, text, files } of history) {
    if (role === 'tool' || (role === 'assistant' && text.trim() === '')) continue;
    const last = said.at(-1);
    if (role === 'assistant' && last?.role === 'assistant')
      said[said.length - 1] = spoken(role, `${last.text.trim()}\n\n${text.trim()}`);
    else said.push({ ...spoken(role, text), files });
  }
  return said;
}

const spoken = (role: ChatMessage['role'], text: string): ChatMessage => ({
  role,
  text,
  files: [],
  toolCalls: [],
  toolCallId: undefined,
});
