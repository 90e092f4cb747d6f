import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { addMessage, show } from './bot-messages.ts';
import { checkContent } from './check-blocks.ts';
import type { Method, MethodContext } from './methods.ts';
import { SlackError } from './slack-error.ts';
import type { Chat } from './world.ts';

/** The limit of one call. */
const MAX_MARKDOWN = 12_000;

/** Messages that grow: only in threads, and with a named reader outside direct messages. */
export const STREAM_METHODS: Readonly<Record<string, Method>> = {
  'chat.startStream': {
    accepts: ['channel', 'thread_ts', 'markdown_text', 'chunks', 'recipient_team_id', 'recipient_user_id'],
    run(parameters, context) {
      const { thread_ts: thread, recipient_team_id: team, recipient_user_id: user } = parameters;
      const chat = context.world.findForBot(context.workspace.teamId, parameters['channel']);
      if (!chat.hasStreams) throw new SlackError('channel_type_not_supported');
      if (typeof thread !== 'string') throw new SlackError('invalid_thread_ts');
      if (chat.kind !== 'im' && team === undefined) throw new SlackError('missing_recipient_team_id');
      if (chat.kind !== 'im' && user === undefined) throw new SlackError('missing_recipient_user_id');
      if (user !== undefined && context.world.users.get(user as string)?.teamId !== team) {
        throw new SlackError('user_not_found');
      }
      const text = readMarkdown(parameters) ?? '';
      const message = addMessage(context, chat, { text, blocks: [], thread });
      message['streaming_state'] = 'in_progress';
      context.onMessage(show(context.world, chat, message));
      return { channel: chat.id, ts: message['ts'] as string };
    },
  },
  'chat.appendStream': {
    accepts: ['channel', 'ts', 'markdown_text', 'chunks'],
    run(parameters, context) {
      const { chat, message } = findStream(parameters, context);
      const added = readMarkdown(parameters);
      if (added === undefined) throw new SlackError('no_text');
      message['text'] = `${message['text'] as string}${added}`;
      show(context.world, chat, message);
      return { channel: chat.id, ts: message['ts'] as string };
    },
  },
  'chat.stopStream': {
    accepts: ['channel', 'ts', 'markdown_text', 'chunks', 'blocks'],
    run(parameters, context) {
      const { chat, message } = findStream(parameters, context);
      message['text'] = `${message['text'] as string}${readMarkdown(parameters) ?? ''}`;
      if (parameters['blocks'] !== undefined) {
        const { text, blocks } = checkContent({ text: message['text'], blocks: parameters['blocks'] });
        Object.assign(message, { text, blocks });
      }
      message['streaming_state'] = 'message_not_in_streaming_state';
      show(context.world, chat, message);
      return { channel: chat.id, ts: message['ts'] as string, message: { ...message } };
    },
  },
};

/** The text of a call, which is a parameter or in chunks. */
function readMarkdown({ markdown_text: text, chunks }: JsonObject): string | undefined {
  if (chunks === undefined) return text === undefined ? undefined : checkMarkdown(text);
  if (text !== undefined || !Array.isArray(chunks)) throw new SlackError('invalid_arguments');
  return chunks
    .map((chunk) => {
      if (!isJsonObject(chunk) || chunk['type'] !== 'markdown_text') throw new SlackError('invalid_chunks');
      return checkMarkdown(chunk['text']);
    })
    .join('');
}

function checkMarkdown(text: JsonValue | undefined): string {
  if (typeof text !== 'string' || text === '') throw new SlackError('no_text');
  if (!text.isWellFormed()) throw new SlackError('invalid_arguments');
  if (text.length > MAX_MARKDOWN) throw new SlackError('msg_too_long');
  return text;
}

function findStream(
  { channel, ts }: JsonObject,
  { world, workspace }: MethodContext,
): { chat: Chat; message: JsonObject } {
  const chat = world.findForBot(workspace.teamId, channel);
  const message = chat.messages.get(ts as string);
  if (message === undefined) throw new SlackError('message_not_found');
  if (message['user'] !== workspace.bot.userId) throw new SlackError('message_not_owned_by_app');
  const state = message['streaming_state'];
  if (state !== 'in_progress') throw new SlackError((state as string | undefined) ?? 'message_not_in_streaming_state');
  return { chat, message };
}

/** Ends a stream from outside. Later calls get an error that says who did it. */
export function endStreamOf({ messages, shown }: Chat, ts: string, by: 'slack' | 'user'): void {
  const [message, seen] = [messages.get(ts), shown.get(ts)];
  if (message === undefined || seen === undefined) throw new Error(`The bot has not sent ${ts}.`);
  message['streaming_state'] = by === 'user' ? 'stopped_by_user' : 'message_not_in_streaming_state';
  seen.isStreaming = false;
}
