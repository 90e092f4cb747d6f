import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { BadRequest } from './bad-request.ts';
import { addRaw, BOT, type Chats, type TelegramMessage, topicFields } from './chats.ts';
import { checkKeyboard, checkText, requireVisible } from './check-text.ts';
import type { FileStore } from './file-store.ts';
import type { ReceivedCall, UploadedFile } from './read-call.ts';
import type { Updates, Webhook } from './updates.ts';

export type MethodContext = {
  chats: Chats;
  updates: Updates;
  files: FileStore;
  /** Called with each new message of the bot. */
  onMessage(message: TelegramMessage): void;
  drafts: { chatId: number; draftId: number; text: string }[];
  answers: { id: string; text: string }[];
  typing: number[];
  commands: JsonObject[];
  gone: AbortSignal;
};

type Method = (call: ReceivedCall, context: MethodContext) => JsonValue | Promise<JsonValue>;

const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;
const MAX_UPLOAD = 50 * 1024 * 1024;
const MAX_PHOTO = 10 * 1024 * 1024;
const MAX_DOWNLOAD = 20 * 1024 * 1024;
/** Some of the reactions that Telegram offers. */
const REACTIONS = ['👍', '👎', '❤', '🔥', '👀', '🎉', '🤔', '😢', '🙏', '👌', '💯', '🤝', '⚡', '🏆', '✍', '😱', '🤯'];

/** The methods of the Bot API that the server has. */
export const METHODS: Readonly<Record<string, Method>> = {
  getMe: () => ({ ...BOT, can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: false }),
  getUpdates: ({ parameters }, { updates, gone }) => updates.poll(parameters, gone),
  deleteWebhook(_, { updates }) {
    updates.setWebhook(undefined);
    return true;
  },
  setWebhook({ parameters }, { updates }) {
    updates.setWebhook(readWebhook(parameters));
    return true;
  },
  getWebhookInfo: (_, { updates }) => ({
    url: updates.webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: updates.pending,
    ...(updates.webhook?.lastError !== undefined && { last_error_message: updates.webhook.lastError }),
  }),
  sendMessage({ parameters }, context) {
    const chat = context.chats.findForBot(chatIdOf(parameters));
    const text = checkText(parameters, 'text', MAX_TEXT);
    requireVisible(text);
    return addMessage(context, chat, parameters, { text, entities: entitiesOf(parameters, 'entities') });
  },
  editMessageText({ parameters }, context) {
    const { chat, message } = findMessage(parameters, context, 'edit');
    const text = checkText(parameters, 'text', MAX_TEXT);
    requireVisible(text);
    const changes = {
      text,
      entities: entitiesOf(parameters, 'entities'),
      buttons: checkKeyboard(parameters['reply_markup']),
    };
    if (JSON.stringify({ ...message, ...changes }) === JSON.stringify(message)) {
      throw new BadRequest(
        'message is not modified: specified new message content and reply markup are exactly the same',
      );
    }
    Object.assign(message, changes, { isEdited: true });
    const raw = chat.raw.get(message.id) as JsonObject;
    Object.assign(raw, { text, edit_date: Math.floor(Date.now() / 1000) });
    return raw;
  },
  deleteMessage({ parameters }, context) {
    const { chat, message } = findMessage(parameters, context, 'delete');
    chat.sent.delete(message.id);
    chat.raw.delete(message.id);
    return true;
  },
  sendChatAction({ parameters }, { chats, typing }) {
    const id = chatIdOf(parameters);
    const chat = chats.findForBot(id);
    topicFields(chat, optionalNumber(parameters, 'message_thread_id'));
    if (!/^(?:typing|upload_\w+|record_\w+)$/.test(textOf(parameters, 'action'))) {
      throw new BadRequest('wrong parameter action in request');
    }
    typing.push(id);
    return true;
  },
  setMessageReaction({ parameters }, { chats }) {
    const chat = chats.findForBot(chatIdOf(parameters));
    const raw = chat.raw.get(numberOf(parameters, 'message_id'));
    if (raw === undefined) throw new BadRequest('message to react not found');
    const reactions = parameters['reaction'] ?? [];
    if (!Array.isArray(reactions)) throw new BadRequest("can't parse reaction types JSON object");
    const emoji = reactions.map((reaction) => (isJsonObject(reaction) ? reaction['emoji'] : undefined));
    if (emoji.length > 1 || emoji.some((one) => typeof one !== 'string' || !REACTIONS.includes(one))) {
      throw new BadRequest('REACTION_INVALID');
    }
    raw['reaction'] = emoji[0] ?? null;
    return true;
  },
  answerCallbackQuery({ parameters }, { answers }) {
    const id = textOf(parameters, 'callback_query_id');
    const text = typeof parameters['text'] === 'string' ? parameters['text'] : '';
    if (text.length > 200) throw new BadRequest('MESSAGE_TOO_LONG');
    if (!/^4\d{9}$/.test(id) || answers.some((answer) => answer.id === id)) {
      throw new BadRequest('query is too old and response timeout expired or query ID is invalid');
    }
    answers.push({ id, text });
    return true;
  },
  sendMessageDraft({ parameters }, { chats, drafts }) {
    const chatId = chatIdOf(parameters);
    const chat = chats.findForBot(chatId);
    if (chat.object['type'] !== 'private') throw new BadRequest('TEXTDRAFT_PEER_INVALID');
    const draftId = numberOf(parameters, 'draft_id');
    if (draftId === 0) throw new BadRequest('draft_id must be non-zero');
    drafts.push({ chatId, draftId, text: checkText(parameters, 'text', MAX_TEXT) });
    return true;
  },
  sendDocument: (call, context) => sendFile(call, context, 'document'),
  sendPhoto: (call, context) => sendFile(call, context, 'photo'),
  sendVoice: (call, context) => sendFile(call, context, 'voice'),
  getFile({ parameters }, { files }) {
    const id = textOf(parameters, 'file_id');
    const file = files.get(id);
    if (file === undefined) throw new BadRequest('wrong file_id or the file is temporarily unavailable');
    if (file.size > MAX_DOWNLOAD) throw new BadRequest('file is too big');
    return { file_id: id, file_unique_id: id, file_size: file.size, file_path: file.path };
  },
  setMyCommands({ parameters }, { commands }) {
    const list = parameters['commands'];
    if (!Array.isArray(list)) throw new BadRequest("can't parse BotCommand: expected an Array");
    if (list.length > 100) throw new BadRequest('too many commands specified');
    for (const entry of list) checkCommand(entry);
    commands.splice(0, commands.length, ...(list as JsonObject[]));
    return true;
  },
  getMyCommands: (_, { commands }) => commands,
};

/** Telegram sends updates over TLS only, and to few ports. */
function readWebhook(parameters: JsonObject): Webhook {
  const url = URL.parse(textOf(parameters, 'url'));
  if (url?.protocol !== 'https:') throw new BadRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (!['', '80', '88', '8443'].includes(url.port))
    throw new BadRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  const secret = parameters['secret_token'];
  if (secret !== undefined && (typeof secret !== 'string' || !/^[\w-]{1,256}$/.test(secret)))
    throw new BadRequest('secret token contains unallowed characters');
  return { url: textOf(parameters, 'url'), secret, lastError: undefined };
}

type Chat = ReturnType<Chats['find']>;

function addMessage(
  { onMessage }: MethodContext,
  chat: Chat,
  parameters: JsonObject,
  content: { text: string; entities: JsonObject[]; file?: TelegramMessage['file'] },
): JsonObject {
  const buttons = checkKeyboard(parameters['reply_markup']);
  const threadId = optionalNumber(parameters, 'message_thread_id');
  const topic = topicFields(chat, threadId);
  const replyTo = checkReply(chat, parameters['reply_parameters']);
  const raw = addRaw(chat, { from: { ...BOT }, ...topic });
  if (content.file === undefined) raw['text'] = content.text;
  else {
    raw['caption'] = content.text;
    raw[content.file.kind] = content.file.kind === 'photo' ? [{ file_id: 'sent' }] : { file_id: 'sent' };
  }
  if (replyTo !== undefined) raw['reply_to_message'] = { ...chat.raw.get(replyTo) };
  if (buttons.length > 0) raw['reply_markup'] = { inline_keyboard: buttons };
  const { text, entities, file } = content;
  const [id, chatId] = [raw['message_id'] as number, chat.object['id'] as number];
  const message = {
    id,
    chatId,
    text,
    entities,
    buttons,
    threadId,
    replyTo,
    file,
    isEdited: false,
    reaction: undefined,
  };
  chat.sent.set(id, message);
  onMessage(message);
  return raw;
}

function checkReply(chat: Chat, reply: JsonValue | undefined): number | undefined {
  if (reply === undefined) return undefined;
  if (!isJsonObject(reply)) throw new BadRequest("can't parse reply parameters");
  const id = numberOf(reply, 'message_id');
  if (chat.raw.has(id)) return id;
  if (reply['allow_sending_without_reply'] === true) return undefined;
  throw new BadRequest('message to be replied not found');
}

function sendFile(
  { parameters, files }: ReceivedCall,
  context: MethodContext,
  kind: 'document' | 'photo' | 'voice',
): JsonValue {
  const chat = context.chats.findForBot(chatIdOf(parameters));
  // A file is either in the field of the parameter or in one that the parameter names.
  const given = parameters[kind];
  const named = typeof given === 'string' ? /^attach:\/\/(.+)$/.exec(given)?.[1] : undefined;
  const file = files[named ?? kind];
  if (file === undefined) throw new BadRequest(`there is no ${kind} in the request`);
  checkFile(file, kind);
  const text = checkText(parameters, 'caption', MAX_CAPTION);
  const content = { text, entities: entitiesOf(parameters, 'caption_entities'), file: { ...file, kind } };
  return addMessage(context, chat, parameters, content);
}

function checkFile({ bytes }: UploadedFile, kind: string): void {
  if (bytes.length === 0) throw new BadRequest('file must be non-empty');
  if (bytes.length > MAX_UPLOAD) throw new BadRequest('Request Entity Too Large', { status: 413 });
  if (kind !== 'photo') return;
  if (bytes.length > MAX_PHOTO) throw new BadRequest('file is too big for a photo');
  const start = bytes.subarray(0, 4).toString('latin1');
  if (!/^(?:\xff\xd8\xff|\x89PNG|RIFF)/.test(start)) throw new BadRequest('IMAGE_PROCESS_FAILED');
}

function checkCommand(entry: JsonValue): void {
  const [command, description] = isJsonObject(entry) ? [entry['command'], entry['description']] : [];
  if (typeof command !== 'string' || !/^[a-z0-9_]{1,32}$/.test(command)) throw new BadRequest('BOT_COMMAND_INVALID');
  if (typeof description !== 'string' || description.trim() === '' || description.length > 256) {
    throw new BadRequest('BOT_COMMAND_DESCRIPTION_INVALID');
  }
}

function findMessage(parameters: JsonObject, { chats }: MethodContext, action: 'edit' | 'delete') {
  const chat = chats.findForBot(chatIdOf(parameters));
  const id = numberOf(parameters, 'message_id');
  const message = chat.sent.get(id);
  if (message !== undefined) return { chat, message };
  if (chat.raw.has(id)) throw new BadRequest(`message can't be ${action === 'edit' ? 'edited' : 'deleted'}`);
  throw new BadRequest(`message to ${action} not found`);
}

function chatIdOf(parameters: JsonObject): number {
  const id = parameters['chat_id'];
  if (id === undefined || id === '') throw new BadRequest('chat_id is empty');
  return Number(id);
}

function entitiesOf(parameters: JsonObject, name: string): JsonObject[] {
  return (parameters[name] ?? []) as JsonObject[];
}

function numberOf(parameters: JsonObject, name: string): number {
  const value = Number(parameters[name] ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw new BadRequest(`parameter "${name}" is invalid or missing`);
  return value;
}

function optionalNumber(parameters: JsonObject, name: string): number | undefined {
  return parameters[name] === undefined ? undefined : numberOf(parameters, name);
}

function textOf(parameters: JsonObject, name: string): string {
  const value = parameters[name];
  if (typeof value !== 'string' || value === '') throw new BadRequest(`parameter "${name}" is invalid or missing`);
  return value;
}
