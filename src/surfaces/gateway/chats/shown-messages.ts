import type { JsonObject } from '../../../base/index.ts';
import type { ClaimedChat, FinishedWork, GatewayStore } from '../../../contracts/index.ts';

/**
 * The messages that show the text of a turn while it is written. They are stored with the chat, so that another process
 * can replace them if this one is killed.
 */
const SETTING = 'shownMessages';

/** Work that finishes no message. */
export const NOTHING_DONE = {
  messages: [],
  state: 'done',
  outgoing: [],
  release: false,
} as const satisfies FinishedWork;

export async function storeShown(
  store: Pick<GatewayStore, 'finishWork'>,
  chat: ClaimedChat,
  ids: readonly string[],
): Promise<void> {
  const settings: JsonObject = { [SETTING]: [...ids] };
  Object.assign(chat.conversation.settings, settings);
  await store.finishWork(chat, { ...NOTHING_DONE, changes: { settings } });
}

export function shownIn({ conversation }: ClaimedChat): string[] {
  const ids = conversation.settings[SETTING];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** The change of the settings after the messages were replaced, or have become complete. */
export function withoutShown({ conversation: { settings } }: ClaimedChat): JsonObject {
  delete settings[SETTING];
  return { [SETTING]: null };
}
