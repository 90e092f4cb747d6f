import type { ChatSource } from '../../contracts/index.ts';

export type SessionKeyRules = {
  /** Each member of a group has a session (`group_sessions_per_user`). */
  groupPerUser: boolean;
  /** Each member of a thread has a session (`thread_sessions_per_user`). */
  threadPerUser: boolean;
};

/**
 * The conversation key of a chat, in the format of the original, so that a home can be used by both programs. It
 * depends on the source only: two chats with different keys never share a session.
 */
export function sessionKey(source: ChatSource, rules: SessionKeyRules): string {
  const { platform, chatType, chatId, threadId } = source;
  const parts = ['agent:main', platform, chatType, chatId, threadId];
  if (chatType !== 'dm' && isPerUser(source, rules)) parts.push(source.userIdAlt || source.userId);
  return parts.filter((part) => part !== undefined && part !== '').join(':');
}

/** Whether the members of a chat share its session, so that each message names its sender. */
export function isShared(source: ChatSource, rules: SessionKeyRules): boolean {
  // All requests to a webhook have the same sender.
  return source.chatType !== 'dm' && source.chatType !== 'webhook' && !isPerUser(source, rules);
}

function isPerUser({ threadId }: ChatSource, { groupPerUser, threadPerUser }: SessionKeyRules): boolean {
  return groupPerUser && (!threadId || threadPerUser);
}
