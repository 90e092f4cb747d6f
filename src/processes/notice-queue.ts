import type { Notices } from '../contracts/index.ts';

/** Notices that wait until a session's next request can carry them. */
export interface NoticeQueue extends Notices {
  /** A later one with the same key takes the place of an earlier one that still waits. */
  add(sessionId: string, key: string, text: string): void;
  withdraw(sessionId: string, key: string): void;
  /** Hands what waits for a session to the one that it goes on as. */
  continueSession(sessionId: string, childId: string): void;
  forget(sessionId: string): void;
}

type Waiting = { key: string; text: string; replaced: number };

/** `newest` says as which session one goes on: what waits for the one waits for the other. */
export function createNoticeQueue(newest: (sessionId: string) => string): NoticeQueue {
  const queues = new Map<string, Waiting[]>();

  function queueOf(sessionId: string): Waiting[] {
    const id = newest(sessionId);
    const queue = queues.get(id) ?? [];
    queues.set(id, queue);
    return queue;
  }

  function remove(sessionId: string, key: string): Waiting | undefined {
    const queue = queueOf(sessionId);
    const index = queue.findIndex((waiting) => waiting.key === key);
    return index < 0 ? undefined : queue.splice(index, 1)[0];
  }

  return {
    continueSession(sessionId, childId) {
      queueOf(childId).unshift(...(queues.get(sessionId)?.splice(0) ?? []));
      queues.delete(sessionId);
    },
    forget: (sessionId) => void queues.delete(sessionId),
    add(sessionId, key, text) {
      const earlier = remove(sessionId, key);
      queueOf(sessionId).push({ key, text, replaced: earlier === undefined ? 0 : earlier.replaced + 1 });
    },
    withdraw: (sessionId, key) => void remove(sessionId, key),
    async deliver(sessionId, deliver) {
      const taken = queueOf(sessionId).splice(0);
      const text = taken.length === 0 ? undefined : taken.map(show).join('\n\n');
      try {
        await deliver(text);
        return text;
      } catch (thrown) {
        queueOf(sessionId).unshift(...taken);
        throw thrown;
      }
    },
  };
}

/** A session that rests for long is not told everything that happened meanwhile. */
function show({ text, replaced }: Waiting): string {
  return replaced === 0
    ? text
    : `${text}\n(It takes the place of ${replaced} earlier notice${replaced > 1 ? 's' : ''}.)`;
}
