import type { JsonObject } from '../../base/index.ts';
import { SlackError } from './slack-error.ts';

export type SlackUser = { id: string; name: string; teamId: string };
export type SlackChat = { id: string; name: string; teamId: string };

/** A workspace in which the app is installed. */
export type SlackWorkspace = {
  teamId: string;
  /** The bot token. */
  token: string;
  bot: { userId: string; botId: string; name: string };
  /** How a message mentions the bot. */
  mention: string;
};

export type StoredFile = { id: string; name: string; mediaType: string; bytes: Uint8Array | undefined; length: number };

/** A message of the bot as its readers see it. */
export type SlackMessage = {
  ts: string;
  channel: string;
  /** The visible text, without formatting. */
  text: string;
  blocks: readonly JsonObject[];
  /** The rows of buttons. */
  buttons: readonly (readonly JsonObject[])[];
  threadTs: string | undefined;
  /** Whom the message notifies. */
  mentions: readonly string[];
  file: { name: string; bytes: Uint8Array } | undefined;
  isEdited: boolean;
  /** Whether it is still being written, so that it can neither be edited nor deleted. */
  isStreaming: boolean;
};

type Chat = SlackChat & {
  kind: 'im' | 'channel';
  /** The other person of a direct chat. */
  userId: string | undefined;
  isMember: boolean;
  /** Whether messages can grow here. */
  hasStreams: boolean;
  /** All messages as Slack describes them, by time. */
  messages: Map<string, JsonObject>;
  /** The messages of the bot. */
  shown: Map<string, SlackMessage>;
};

/** The workspaces, people, chats and files of a fake Slack. */
export type World = ReturnType<typeof createWorld>;

export function createWorld() {
  const workspaces: (SlackWorkspace & { isRevoked: boolean })[] = [];
  const users = new Map<string, SlackUser>();
  const chats = new Map<string, Chat>();
  const files = new Map<string, StoredFile>();
  let last = 0;
  const nextId = (prefix: string) => `${prefix}0${String((last += 1)).padStart(8, '0')}`;
  const open = (chat: Omit<Chat, 'messages' | 'shown'>) => {
    chats.set(chat.id, { ...chat, messages: new Map(), shown: new Map() });
    return { id: chat.id, name: chat.name, teamId: chat.teamId };
  };
  return {
    workspaces,
    users,
    files,
    nextId,
    /** Slack identifies a message by its time, with a number that makes it unique. */
    nextTime: () => `${Math.floor(Date.now() / 1000)}.${String((last += 1)).padStart(6, '0')}`,
    addWorkspace(name: string): SlackWorkspace {
      const [teamId, userId, botId] = [nextId('T'), nextId('U'), nextId('B')];
      const token = `xoxb-${workspaces.length + 1}00000-test-token-of-the-fake-slack`;
      const bot = { userId, botId, name };
      const workspace = { teamId, token, bot, mention: `<@${userId}>`, isRevoked: false };
      workspaces.push(workspace);
      users.set(userId, { id: userId, name, teamId });
      return workspace;
    },
    addUser(teamId: string, name: string): SlackUser {
      const user = { id: nextId('U'), name, teamId };
      users.set(user.id, user);
      return user;
    },
    addChannel(teamId: string, name: string, { isMember = true, hasStreams = true } = {}): SlackChat {
      return open({ id: nextId('C'), name, teamId, kind: 'channel', userId: undefined, isMember, hasStreams });
    },
    /** The direct chat of a user with the bot. */
    directChat({ id, teamId }: SlackUser): SlackChat {
      const known = [...chats.values()].find((chat) => chat.userId === id);
      const chat = { name: '', teamId, kind: 'im', userId: id, isMember: true, hasStreams: true } as const;
      return known ?? open({ id: nextId('D'), ...chat });
    },
    findChat(id: string): Chat {
      const chat = chats.get(id);
      if (chat === undefined) throw new Error(`There is no chat ${id}.`);
      return chat;
    },
    /** The chat that the bot of a workspace uses, if it may. */
    findForBot(teamId: string, id: unknown): Chat {
      const chat = typeof id === 'string' ? chats.get(id) : undefined;
      if (chat === undefined || chat.teamId !== teamId) throw new SlackError('channel_not_found');
      if (!chat.isMember) throw new SlackError('not_in_channel');
      return chat;
    },
    addFile(file: Omit<StoredFile, 'id'>): StoredFile {
      const stored = { ...file, id: nextId('F') };
      files.set(stored.id, stored);
      return stored;
    },
  };
}

export type { Chat };
