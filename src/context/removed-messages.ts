import type { Message } from '../base/index.ts';
import type { RemovedMessages, SessionReader, StoredMessage } from '../contracts/index.ts';

/** Reads back what the engine took out, from the sessions of the lineage: nothing is ever deleted by a compression. */
export function createRemovedMessages(sessions: SessionReader): RemovedMessages {
  async function lineage(sessionId: string): Promise<string[]> {
    return [...(await sessions.getAncestors(sessionId)).map(({ id }) => id), sessionId];
  }

  /**
   * All messages of the lineage with their positions, in order. What was said in a session after another one went on
   * from it as a branch is no part of that one.
   */
  async function* originals(sessionId: string): AsyncGenerator<StoredMessage & { position: number }> {
    const sessionsOfIt = await Promise.all((await lineage(sessionId)).map((id) => sessions.getMessages(id)));
    let position = 0;
    for (const [place, messages] of sessionsOfIt.entries()) {
      const continuedAt = sessionsOfIt[place + 1]?.[0]?.id ?? Number.POSITIVE_INFINITY;
      // A parent that was taken in after its child has later ids throughout, and all of it counts.
      const isTold = (messages[0]?.id ?? 0) < continuedAt;
      for (const stored of messages) {
        if (stored.copyOf !== undefined || (isTold && stored.id >= continuedAt)) continue;
        yield { ...stored, position: ++position };
      }
    }
  }

  return {
    async search(sessionId, query, limit) {
      const found = await sessions.searchMessages({
        text: query,
        sessions: await lineage(sessionId),
        limit: 2 * limit,
      });
      const wanted = new Map(found.hits.map(({ id, snippet }) => [id, snippet]));
      const positions = new Map<number, number>();
      if (wanted.size === 0) return [];
      for await (const { id, position, message } of originals(sessionId))
        if (wanted.has(id) && !readsBack(message)) positions.set(id, position);
      const hits = [...wanted].flatMap(([id, snippet]) => {
        const position = positions.get(id);
        return position === undefined ? [] : [{ position, snippet }];
      });
      return hits.slice(0, limit);
    },
    async read(sessionId, first, last) {
      const read: { position: number; message: StoredMessage['message'] }[] = [];
      for await (const { position, message } of originals(sessionId)) {
        if (position > last) break;
        if (position >= first) read.push({ position, message });
      }
      return read;
    },
  };
}

const READING_BACK = ['context_search', 'context_expand'];

/** A call that reads back has the words it looks for in it, and its result repeats what stands elsewhere. */
function readsBack(message: Message): boolean {
  if (message.role === 'tool') return READING_BACK.includes(message.toolName);
  return message.role === 'assistant' && (message.toolCalls ?? []).some(({ name }) => READING_BACK.includes(name));
}
