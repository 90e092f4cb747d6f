import type { Notices } from '../../contracts/index.ts';
import type { SessionState } from '../session-states.ts';

/** Notices that wait for the next message of a session. */
export interface PendingNotices extends Required<SessionState> {
  add(sessionId: string, text: string): void;
  /** Delivers these notices and those of another source as one text. */
  mergeWith(others: Notices): Notices;
}

export function createPendingNotices(): PendingNotices {
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
    forget: (sessionId) => void waiting.delete(sessionId),
    mergeWith: (others) => ({
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
