import type { RemovedMessages, SessionReader, StoredMessage } from '../contracts/index.ts';

/** Reads back what the engine took out, from the sessions of the lineage: nothing is ever deleted by a compression. */
export function createRemovedMessages(sessions: SessionReader): RemovedMessages {
  async function lineage(sessionId: string): Promise<string[]> {
    return [...(await sessions.getAncestors(sessionId)).map(({ id }) => id), sessionId];
  }

  /** All messages of the lineage with their positions, in order. */
  async function* originals(sessionId: string): AsyncGenerator<StoredMessage & { position: number }> {
    let position = 0;
    for (const id of await lineage(sessionId)) {
      for (const stored of await sessions.getMessages(id)) {
        if (stored.copyOf === undefined) yield { ...stored, position: ++position };
      }
    }
  }

  return {
    async search(sessionId, query, limit) {
      const found = await sessions.searchMessages({ text: query, sessions: await lineage(sessionId), limit });
      const wanted = new Map(found.hits.map(({ id, snippet }) => [id, snippet]));
      const positions = new Map<number, number>();
      if (wanted.size === 0) return [];
      for await (const { id, position } of originals(sessionId)) if (wanted.has(id)) positions.set(id, position);
      return [...wanted].flatMap(([id, snippet]) => {
        const position = positions.get(id);
        return position === undefined ? [] : [{ position, snippet }];
      });
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
