import type { Message } from '../base/index.ts';
import {
  lineageUpTo,
  READ_BACK_TOOL,
  type RemovedMessages,
  type SessionReader,
  type StoredMessage,
} from '../contracts/index.ts';

/** Reads removed messages back from the sessions of the lineage. Compression never deletes anything from the store. */
export function createRemovedMessages(sessions: SessionReader): RemovedMessages {
  /**
   * All original messages of the lineage in order, with their numbers. Messages that a parent session received after
   * this session branched off are not included.
   */
  async function* originals(sessionId: string): AsyncGenerator<StoredMessage & { number: number }> {
    const sessionsOfIt = await Promise.all(
      (await lineageUpTo(sessions, sessionId)).map((id) => sessions.getMessages(id)),
    );
    let number = 0;
    for (const [index, messages] of sessionsOfIt.entries()) {
      const continuedAt = sessionsOfIt[index + 1]?.[0]?.id ?? Number.POSITIVE_INFINITY;
      // If a parent was imported after its child, all its ids are larger than those of the child. In that case all of
      // its messages count.
      const isOlder = (messages[0]?.id ?? 0) < continuedAt;
      for (const stored of messages) {
        if (stored.copyOf !== undefined || (isOlder && stored.id >= continuedAt)) continue;
        yield { ...stored, number: ++number };
      }
    }
  }

  return {
    async search(sessionId, query, limit) {
      const found = await sessions.searchMessages({
        text: query,
        sessions: await lineageUpTo(sessions, sessionId),
        // Twice the limit, because calls of the context tools match too and are filtered out below.
        limit: 2 * limit,
      });
      const wanted = new Map(found.hits.map((hit) => [hit.id, hit]));
      const numbers = new Map<number, number>();
      if (wanted.size === 0) return [];
      for await (const { id, number, message } of originals(sessionId))
        if (wanted.has(id) && !usesContextTools(message)) numbers.set(id, number);
      const hits = [...wanted].flatMap(([id, { snippet, partial }]) => {
        const number = numbers.get(id);
        return number === undefined ? [] : [{ number, snippet, partial }];
      });
      return hits.slice(0, limit);
    },
    async read(sessionId, first, last) {
      const read: { number: number; message: StoredMessage['message'] }[] = [];
      for await (const { number, message } of originals(sessionId)) {
        if (number > last) break;
        if (number >= first) read.push({ number, message });
      }
      return read;
    },
  };
}

const CONTEXT_TOOLS = ['context_search', READ_BACK_TOOL];

/** Calls of the context tools contain the search words, and their results repeat other messages. */
function usesContextTools(message: Message): boolean {
  if (message.role === 'tool') return CONTEXT_TOOLS.includes(message.toolName);
  return message.role === 'assistant' && (message.toolCalls ?? []).some(({ name }) => CONTEXT_TOOLS.includes(name));
}
