import type { JsonObject } from '../../base/index.ts';
import { BadRequest } from './bad-request.ts';
import type { UploadedFile } from './read-call.ts';

export type TelegramUser = { id: number; firstName: string; username?: string };
export type TelegramGroup = { id: number; title: string };

/** A message of the bot as its readers see it. */
export type TelegramMessage = {
  id: number;
  chatId: number;
  text: string;
  entities: readonly JsonObject[];
  buttons: readonly (readonly JsonObject[])[];
  threadId: number | undefined;
  replyTo: number | undefined;
  file: (UploadedFile & { kind: 'document' | 'photo' | 'voice' }) | undefined;
  isEdited: boolean;
  reaction: string | undefined;
};

type Chat = {
  object: JsonObject;
  topics: Map<number, string>;
  /** All messages, as Telegram describes them. */
  raw: Map<number, JsonObject>;
  /** The messages of the bot. */
  sent: Map<number, TelegramMessage>;
  lastId: number;
  state: 'open' | 'blocked' | 'not_started' | { movedTo: number };
};

export const BOT = { id: 987_654_321, is_bot: true, first_name: 'Hermes', username: 'hermes_test_bot' };

/** The users, groups and messages of a fake Telegram. */
export type Chats = ReturnType<typeof createChats>;

export function createChats() {
  const chats = new Map<number, Chat>();
  let lastUser = 1000;
  let lastGroup = -100;
  const open = (id: number, object: JsonObject, state: Chat['state']) => {
    chats.set(id, { object: { id, ...object }, topics: new Map(), raw: new Map(), sent: new Map(), lastId: 0, state });
  };
  const find = (id: number): Chat => {
    const chat = chats.get(id);
    if (chat === undefined) throw new BadRequest('chat not found');
    return chat;
  };
  return {
    find,
    addUser({ firstName = 'Ada', username }: { firstName?: string; username?: string }): TelegramUser {
      lastUser += 1;
      const object: JsonObject = { type: 'private', first_name: firstName };
      if (username !== undefined) object['username'] = username;
      open(lastUser, object, 'not_started');
      return { id: lastUser, firstName, ...(username !== undefined && { username }) };
    },
    addGroup({ title = 'Team', hasTopics = false }: { title?: string; hasTopics?: boolean }): TelegramGroup {
      lastGroup -= 1;
      const object: JsonObject = { type: hasTopics ? 'supergroup' : 'group', title };
      if (hasTopics) object['is_forum'] = true;
      open(lastGroup, object, 'open');
      // The first id belongs to the general topic.
      if (hasTopics) find(lastGroup).lastId = 1;
      return { id: lastGroup, title };
    },
    addTopic(groupId: number, name: string): number {
      const group = find(groupId);
      group.lastId += 1;
      group.topics.set(group.lastId, name);
      return group.lastId;
    },
    upgrade(groupId: number): number {
      lastGroup -= 1;
      const id = lastGroup - 1_000_000_000_000;
      const group = find(groupId);
      open(id, { type: 'supergroup', title: group.object['title'] ?? '' }, 'open');
      group.state = { movedTo: id };
      return id;
    },
    /** The chat that the bot writes to, if it may. */
    findForBot(id: number): Chat {
      const chat = find(id);
      if (chat.state === 'blocked') throw new BadRequest('bot was blocked by the user', { status: 403 });
      if (chat.state === 'not_started') {
        throw new BadRequest("bot can't initiate conversation with a user", { status: 403 });
      }
      if (typeof chat.state === 'object') {
        const parameters = { migrate_to_chat_id: chat.state.movedTo };
        throw new BadRequest('group chat was upgraded to a supergroup chat', { parameters });
      }
      return chat;
    },
  };
}

/** Adds a message of any author, and returns how Telegram describes it. */
export function addRaw(chat: Chat, message: JsonObject): JsonObject {
  chat.lastId += 1;
  const raw: JsonObject = { message_id: chat.lastId, date: Math.floor(Date.now() / 1000), chat: chat.object };
  Object.assign(raw, message);
  chat.raw.set(chat.lastId, raw);
  return raw;
}

/** Adds what every description of a message in a topic has. */
export function topicFields(chat: Chat, threadId: number | undefined): JsonObject {
  if (threadId === undefined) return {};
  if (!chat.topics.has(threadId)) throw new BadRequest('message thread not found');
  return { message_thread_id: threadId, is_topic_message: true };
}
