import type { Notices } from '../../contracts/index.ts';

/** Notices of the program that wait for a session's next message, beside those of others. */
export interface NoticeBoard {
  add(sessionId: string, text: string): void;
  /** A session goes on as its child, and what waits for it with it. */
  continueSession(sessionId: string, childId: string): void;
  /** Delivers both as one text. */
  beside(others: Notices): Notices;
}

export function createNoticeBoard(): NoticeBoard {
  const waiting = new Map<string, string[]>();
  const put = (sessionId: string, texts: readonly string[]) => {
    if (texts.length > 0) waiting.set(sessionId, [...texts, ...(waiting.get(sessionId) ?? [])]);
  };
  const takeAll = (sessionId: string): string[] => {
    const texts = waiting.get(sessionId) ?? [];
    waiting.delete(sessionId);
    return texts;
  };
  return {
    add: (sessionId, text) => void waiting.set(sessionId, [...(waiting.get(sessionId) ?? []), text]),
    continueSession: (sessionId, childId) => put(childId, takeAll(sessionId)),
    beside: (others) => ({
      async deliver(sessionId, deliver) {
        const own = takeAll(sessionId);
        let all: string | undefined;
        try {
          await others.deliver(sessionId, (text) => {
            all = [...own, ...(text === undefined ? [] : [text])].join('\n\n') || undefined;
            return deliver(all);
          });
          return all;
        } catch (thrown) {
          put(sessionId, own);
          throw thrown;
        }
      },
    }),
  };
}
