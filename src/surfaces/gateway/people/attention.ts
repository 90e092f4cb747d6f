import type { ChannelEvent, MentionSettings } from '../../../contracts/index.ts';

/** Patterns are not tested on more than this, so that a long text cannot keep the process busy. */
const MAX_TESTED = 4000;

/**
 * Whether Hermes reads an event, by the settings of its platform. This is the same on all platforms: an adapter only
 * says whether a message mentions the bot. Whether the sender may use the bot is decided later.
 */
export function isForBot({ source, content, kind }: ChannelEvent, rules: MentionSettings): boolean {
  const { isAddressed, isFromBot = false, text } = content;
  if (kind === 'action') return true;
  if (isFromBot && (rules.bots === 'none' || (rules.bots === 'mentions' && !isAddressed))) return false;
  if (source.userId !== undefined && rules.ignoredUsers.includes(source.userId)) return false;
  if (source.chatType === 'dm') return isAddressed;
  const chats = [source.chatId, source.threadId].filter((id) => id !== undefined);
  const isOneOf = (ids: readonly string[]) => chats.some((id) => ids.includes(id));
  if (rules.ignoredChats.includes(source.chatId) || isOneOf(rules.ignoredThreads)) return false;
  if (rules.allowedChats.length > 0 && !isOneOf(rules.allowedChats)) return false;
  // A group that moved is not a message.
  if (source.formerChatId !== undefined) return isAddressed;
  if (isAddressed || !rules.required || isOneOf(rules.freeChats)) return true;
  return rules.patterns.some((pattern) => pattern.test(text.slice(0, MAX_TESTED)));
}
