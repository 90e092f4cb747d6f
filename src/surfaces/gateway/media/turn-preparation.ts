import { systemClock } from '../../../base/index.ts';
import type { InboxMessage, Logger } from '../../../contracts/index.ts';
import { type PreparedMessage, readChatMessage } from '../chats/chat-message.ts';
import type { ChatMedia } from './chat-media.ts';
import { needsPreparation } from './prepare-message.ts';

export type PreparationOptions = {
  media: Pick<ChatMedia, 'prepare'>;
  logger: Logger;
  /** Called when a message is ready. */
  onReady(): void;
};

/**
 * Prepares the messages of a turn in the background, so that commands are answered during a download. A message that
 * is not ready when the process ends is prepared again by the next one.
 */
export interface TurnPreparation {
  /** Whether all messages are ready. Starts with those that are not. */
  isReady(messages: readonly InboxMessage[]): boolean;
  /** Whether there is a reason to wait. */
  isWorking(): boolean;
  readonly prepared: ReadonlyMap<number, PreparedMessage>;
  /** Forgets messages whose turn has started. */
  forget(messages: readonly InboxMessage[]): void;
  stop(): void;
}

/** How long after a message of an album its turn starts at the earliest. */
const ALBUM_MS = 800;
const NOTHING: PreparedMessage = { outside: [], filePassages: [], attachments: [] };

export function createTurnPreparation({ media, logger, onReady }: PreparationOptions): TurnPreparation {
  const prepared = new Map<number, PreparedMessage>();
  const working = new Set<number>();
  const stopping = new AbortController();

  async function prepare(message: InboxMessage): Promise<void> {
    try {
      const [ready] = await Promise.all([media.prepare(message, stopping.signal), waitForAlbum(message)]);
      prepared.set(message.id, ready);
    } catch (thrown) {
      if (stopping.signal.aborted) return;
      logger.error('could not prepare a message', { key: message.key }, thrown);
      prepared.set(message.id, { ...NOTHING, filePassages: [FAILED] });
    } finally {
      working.delete(message.id);
      onReady();
    }
  }

  /** The other messages of an album arrive within a short time, and are part of the same turn. */
  async function waitForAlbum(message: InboxMessage): Promise<void> {
    if (readChatMessage(message).content.albumId === undefined) return;
    const left = message.receivedAt + ALBUM_MS - systemClock.now();
    await systemClock.sleep(Math.max(0, Math.min(ALBUM_MS, left)), stopping.signal);
  }

  return {
    prepared,
    isWorking: () => working.size > 0,
    isReady(messages) {
      for (const message of messages) {
        if (prepared.has(message.id) || working.has(message.id)) continue;
        if (!needsPreparation(message)) prepared.set(message.id, NOTHING);
        else {
          working.add(message.id);
          void prepare(message);
        }
      }
      return messages.every(({ id }) => prepared.has(id));
    },
    forget(messages) {
      for (const { id } of messages) prepared.delete(id);
    },
    stop: () => stopping.abort(),
  };
}

const FAILED = '[Hermes could not read the files of this message.]';
