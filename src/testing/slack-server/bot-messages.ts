import type { JsonObject, JsonValue } from '../../base/index.ts';
import { findMentions, showText } from './check-blocks.ts';
import type { MethodContext } from './methods.ts';
import { SlackError } from './slack-error.ts';
import type { Chat, SlackMessage, World } from './world.ts';

type Added = { text: string; blocks: JsonObject[]; thread: JsonValue | undefined };

/** Adds a message of the bot to a chat or a thread. */
export function addMessage(
  { world, workspace }: MethodContext,
  chat: Chat,
  { text, blocks, thread }: Added,
): JsonObject {
  const ts = world.nextTime();
  const { userId, botId } = workspace.bot;
  const message: JsonObject = {
    type: 'message',
    ts,
    user: userId,
    bot_id: botId,
    team: workspace.teamId,
    text,
    blocks,
  };
  if (thread !== undefined) {
    if (typeof thread !== 'string' || !chat.messages.has(thread)) throw new SlackError('thread_not_found');
    message['thread_ts'] = thread;
  }
  chat.messages.set(ts, message);
  return message;
}

/** A message that the bot may change now. */
export function findOwn({ channel, ts }: JsonObject, { world, workspace }: MethodContext, action: 'update' | 'delete') {
  const chat = world.findForBot(workspace.teamId, channel);
  const message = chat.messages.get(ts as string);
  if (message === undefined) throw new SlackError('message_not_found');
  if (message['user'] !== workspace.bot.userId) throw new SlackError(`cant_${action}_message`);
  if (message['streaming_state'] === 'in_progress') {
    throw new SlackError(action === 'update' ? 'streaming_state_conflict' : 'cant_delete_message');
  }
  return { chat, message };
}

/** Shows a message of the bot to its readers. */
export function show(world: World, chat: Chat, raw: JsonObject): SlackMessage {
  const text = raw['text'] as string;
  const blocks = (raw['blocks'] ?? []) as JsonObject[];
  const [file] = ((raw['files'] ?? []) as JsonObject[]).map(({ id }) => world.files.get(id as string));
  const buttons = blocks.filter(({ type }) => type === 'actions').map(({ elements }) => elements as JsonObject[]);
  const message = {
    ts: raw['ts'] as string,
    channel: chat.id,
    text: showText(text, blocks),
    blocks,
    buttons,
    threadTs: raw['thread_ts'] as string | undefined,
    mentions: findMentions(text, blocks),
    file: file?.bytes && { name: file.name, bytes: file.bytes },
    isEdited: raw['edited'] !== undefined,
    isStreaming: raw['streaming_state'] === 'in_progress',
  };
  chat.shown.set(message.ts, message);
  return message;
}
