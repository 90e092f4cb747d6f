import * as z from 'zod/mini';
import { HermesError, type JsonObject, type JsonValue, type Message } from '../../../base/index.ts';
import type { GatewayConversation, SessionStore, StoredMessage } from '../../../contracts/index.ts';
import { redactSecrets, takeRedacted } from '../../../util/index.ts';
import { clampLimit, defineServedTool, limitParameter } from '../define-served-tool.ts';
import type { ServedImage, ServedTool } from '../served-parts.ts';

const MAX_CONVERSATIONS = 200;
const MAX_MESSAGES = 200;
/** How many chats are known at most, as everywhere in the gateway. */
const MAX_CHATS = 1000;
const MAX_CHARACTERS = 2000;
/** Larger images are only named: many clients refuse large messages. */
const MAX_IMAGE_BYTES = 5_000_000;

type OpenStore = () => Promise<SessionStore>;

const sessionKey = z.string('a string is required').check(z.describe('The session_key from conversations_list.'));

/** The tools that read the chats of the messaging gateway. */
export function conversationTools(openStore: OpenStore): ServedTool[] {
  return [listTool(openStore), getTool(openStore), readTool(openStore), attachmentsTool(openStore)];
}

function listTool(openStore: OpenStore): ServedTool {
  return defineServedTool({
    name: 'conversations_list',
    title: 'List conversations',
    description:
      'List the chats in which people talk to Hermes on messaging platforms such as Telegram, Discord and Slack, the one that was used last first. Returns for each its session_key, which the other tools need, its platform, type and names, and the time of its last use.',
    parameters: z.object({
      platform: z.optional(z.string().check(z.describe('Return only chats of this platform, such as "telegram".'))),
      limit: limitParameter('conversations', 50, MAX_CONVERSATIONS),
      search: z.optional(
        z.string().check(z.describe('Return only chats whose name or session_key contains this text.')),
      ),
    }),
    readOnly: true,
    async run({ platform, limit, search }) {
      const store = await (await openStore()).openGatewayStore();
      const chats = (await store.listGatewayConversations(MAX_CHATS)).map(summarize);
      const wanted = chats.filter((chat) => isWanted(chat, platform, search));
      const conversations = wanted.slice(0, clampLimit(limit, MAX_CONVERSATIONS));
      return { result: { count: conversations.length, conversations } };
    },
  });
}

function isWanted(chat: ReturnType<typeof summarize>, platform: string | undefined, search: string | undefined) {
  if (platform !== undefined && chat.platform.toLowerCase() !== platform.toLowerCase()) return false;
  const names = [chat.display_name, chat.chat_name, chat.session_key];
  return search === undefined || names.some((name) => name.toLowerCase().includes(search.toLowerCase()));
}

function getTool(openStore: OpenStore): ServedTool {
  return defineServedTool({
    name: 'conversation_get',
    title: 'Get a conversation',
    description: 'Get the details of one chat: its ids on the platform, its times, and how many tokens it has used.',
    parameters: z.object({ session_key: sessionKey }),
    readOnly: true,
    async run({ session_key: key }) {
      const store = await openStore();
      const chat = await findChat(store, key);
      const session = chat.sessionId === undefined ? undefined : await store.getSession(chat.sessionId);
      const { input = 0, output = 0 } = session?.usage ?? {};
      const result: JsonObject = {
        ...summarize(chat),
        chat_id: textOf(chat, 'chatId'),
        thread_id: textOf(chat, 'threadId') || null,
        created_at: session === undefined ? '' : new Date(session.startedAt).toISOString(),
        input_tokens: input,
        output_tokens: output,
        total_tokens: input + output,
      };
      return { result };
    },
  });
}

function readTool(openStore: OpenStore): ServedTool {
  return defineServedTool({
    name: 'messages_read',
    title: 'Read messages',
    description: `Read the newest messages of a chat in the order in which they were written: what people wrote and what Hermes answered, without tool calls. A message longer than ${MAX_CHARACTERS} characters is truncated; timestamps are seconds since 1970. total_in_session counts all such messages of the current session.`,
    parameters: z.object({ session_key: sessionKey, limit: limitParameter('messages', 50, MAX_MESSAGES) }),
    readOnly: true,
    async run({ session_key: key, limit }) {
      const store = await openStore();
      const said = (await readMessages(store, key)).filter(isSaid);
      const messages = said.slice(-clampLimit(limit, MAX_MESSAGES)).map(({ id, timestamp, message }) => ({
        id: String(id),
        role: message.role,
        content: takeRedacted(message.content, MAX_CHARACTERS, redactSecrets),
        timestamp: timestamp / 1000,
      }));
      return { result: { session_key: key, count: messages.length, total_in_session: said.length, messages } };
    },
  });
}

function attachmentsTool(openStore: OpenStore): ServedTool {
  return defineServedTool({
    name: 'attachments_fetch',
    title: 'Fetch attachments',
    description:
      'Get the images and files of one message. Stored images are returned as image content after the list; a file that Hermes named in its text is listed with its path.',
    parameters: z.object({
      session_key: sessionKey,
      message_id: z.string('a string is required').check(z.describe('The id of the message, from messages_read.')),
    }),
    readOnly: true,
    async run({ session_key: key, message_id: id }) {
      const store = await openStore();
      const found = (await readMessages(store, key)).find((stored) => String(stored.id) === id);
      if (found === undefined) throw new HermesError(`Message not found: ${id}.`);
      const { attachments, images } = await readAttachments(store, found.message);
      return { result: { message_id: id, count: attachments.length, attachments }, images };
    },
  });
}

async function readAttachments(
  store: SessionStore,
  message: Message,
): Promise<{ attachments: JsonValue[]; images: ServedImage[] }> {
  const attachments: JsonValue[] = [];
  const images: ServedImage[] = [];
  const stored = message.role === 'assistant' ? [] : (message.attachments ?? []);
  for (const { kind, name, mediaType, hash, size } of stored) {
    attachments.push({ type: kind, name, media_type: mediaType, size });
    const blob = kind === 'image' && size <= MAX_IMAGE_BYTES ? await store.getBlob(hash) : undefined;
    if (blob !== undefined) images.push({ mimeType: mediaType, base64: Buffer.from(blob.bytes).toString('base64') });
  }
  for (const [, path = ''] of message.content.matchAll(/MEDIA:\s*(\S+)/g)) attachments.push({ type: 'media', path });
  return { attachments, images };
}

async function findChat(store: SessionStore, key: string): Promise<GatewayConversation> {
  const chat = await (await store.openGatewayStore()).getGatewayConversation(key);
  if (chat === undefined) throw new HermesError(`Conversation not found: ${key}.`);
  return chat;
}

async function readMessages(store: SessionStore, key: string): Promise<StoredMessage[]> {
  const { sessionId } = await findChat(store, key);
  if (sessionId === undefined) throw new HermesError(`The conversation has no session yet: ${key}.`);
  return store.getMessages(sessionId);
}

/** Whether a message is something that the user or Hermes said; a replacement and a mere tool call are not. */
export function isSaid({ message, isReplacement }: StoredMessage): boolean {
  return message.role !== 'tool' && message.content.trim() !== '' && isReplacement !== true;
}

function summarize(chat: GatewayConversation) {
  const { key, account, sessionId = '', updatedAt } = chat;
  const [chatName, userName] = [textOf(chat, 'chatName'), textOf(chat, 'userName')];
  return {
    session_key: key,
    session_id: sessionId,
    platform: textOf(chat, 'platform') || account.slice(0, account.indexOf(':')),
    chat_type: textOf(chat, 'chatType'),
    display_name: chatName || userName || textOf(chat, 'chatId'),
    chat_name: chatName,
    user_name: userName,
    updated_at: new Date(updatedAt).toISOString(),
  };
}

function textOf({ source }: GatewayConversation, name: string): string {
  const value = source[name];
  return typeof value === 'string' ? value : '';
}
