import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import type { ClaimedChat, GatewayStore, SessionLineage } from '../../../contracts/index.ts';
import { OUTSIDE_KINDS, type OutsideKind } from '../chats/chat-message.ts';

/**
 * Remembers which sessions of chats contain text of others. It is stored with the chat, so that a restart does not
 * change it, and belongs to the session, so that a new session starts without it.
 */
export interface OutsideTexts {
  /** Describes the text of others in the session that the last turn of a chat used; undefined if there is none. */
  describe(chatKey: string): string | undefined;
  /** Stores what a turn is about to read, before the model can act on it. */
  record(chat: ClaimedChat, sessionId: string, found: readonly OutsideKind[]): Promise<void>;
  forget(chatKey: string): void;
}

type Counts = Partial<Record<OutsideKind, number>>;

const SETTING = 'outside_text';
/** The sessions of a chat that are remembered; older ones are resumed rarely. */
const MAX_SESSIONS = 50;

export function createOutsideTexts(
  store: Pick<GatewayStore, 'finishWork'>,
  sessions: Pick<SessionLineage, 'getAncestors'>,
): OutsideTexts {
  const current = new Map<string, Counts>();
  return {
    describe(chatKey) {
      const counts = current.get(chatKey);
      return counts === undefined ? undefined : describeCounts(counts);
    },
    async record(chat, sessionId, found) {
      // Compression and branches continue a session under another id, with the same text.
      const root = (await sessions.getAncestors(sessionId))[0]?.id ?? sessionId;
      const stored = readStored(chat.conversation.settings);
      const counts = addCounts(stored.get(root) ?? {}, found);
      current.set(chat.key, counts);
      if (found.length === 0) return;
      stored.delete(root);
      stored.set(root, counts);
      const settings: JsonObject = { [SETTING]: Object.fromEntries([...stored].slice(-MAX_SESSIONS)) };
      chat.conversation.settings = { ...chat.conversation.settings, ...settings };
      await store.finishWork(chat, {
        messages: [],
        state: 'done',
        outgoing: [],
        changes: { settings },
        release: false,
      });
    },
    forget: (chatKey) => void current.delete(chatKey),
  };
}

/** By the id of the oldest session. */
function readStored(settings: JsonObject): Map<string, Counts> {
  const value = settings[SETTING];
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return new Map(entries.flatMap(([root, counts]) => (isJsonObject(counts) ? [[root, counts as Counts]] : [])));
}

function addCounts(counts: Counts, found: readonly OutsideKind[]): Counts {
  const sum: Counts = { ...counts };
  for (const kind of found) sum[kind] = (sum[kind] ?? 0) + 1;
  return sum;
}

/** `a forwarded message and 2 files`; undefined if there is nothing. */
function describeCounts(counts: Counts): string | undefined {
  const parts = OUTSIDE_KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    if (count === 0) return [];
    return count === 1 ? [`a ${kind}`] : [`${count} ${kind.replace(/^\w+$|message|request$/, '$&s')}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ').replace(/, ([^,]*)$/, ' and $1');
}
