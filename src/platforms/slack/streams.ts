import type { JsonObject } from '../../base/index.ts';
import { ChannelError, type ChatTarget, type MessageStreams } from '../../contracts/index.ts';
import { textAt } from '../json-fields.ts';
import type { SlackBot } from './read-text.ts';
import type { SlackApi } from './slack-api.ts';

/** In so many chats it is remembered that they have no streams. */
const MAX_REFUSED = 1000;
/** So many streams that this process has started are known. */
const MAX_OPEN = 1000;

/** The streams of a workspace, and changes of messages that may be streams. */
export type SlackStreams = {
  streams: MessageStreams;
  /** Changes a message. If it is a stream, for example that of a killed process, the stream is ended first. */
  change(target: ChatTarget, messageId: string, signal: AbortSignal, run: () => Promise<unknown>): Promise<void>;
};

/**
 * Slack has streams in threads only, not in all kinds of channels, and not for all apps. It also ends them by itself:
 * after some minutes, and if nothing is appended for half a minute.
 */
export function createSlackStreams(api: SlackApi, known: (signal: AbortSignal) => Promise<SlackBot>): SlackStreams {
  const refused = new Set<string>();
  const open = new Set<string>();

  async function start(
    { chatId, threadId }: ChatTarget,
    { markdown, recipientId }: Parameters<MessageStreams['start']>[1],
    signal: AbortSignal,
  ): Promise<string> {
    if (threadId === undefined || refused.has(chatId)) {
      throw new ChannelError('rejected', 'Slack: no text can be streamed here.');
    }
    const { team } = await known(signal);
    const parameters: JsonObject = { channel: chatId, thread_ts: threadId, markdown_text: withoutMentions(markdown) };
    // Slack needs them outside direct messages.
    if (recipientId !== undefined) {
      parameters['recipient_team_id'] = team;
      parameters['recipient_user_id'] = recipientId;
    }
    const reply = await api.call('chat.startStream', parameters, { signal }).catch((error: unknown) => {
      const isLasting = error instanceof ChannelError && ['rejected', 'forbidden'].includes(error.fault);
      if (isLasting && refused.size < MAX_REFUSED) refused.add(chatId);
      throw error;
    });
    const id = textAt(reply, 'ts');
    if (id === undefined) throw new ChannelError('uncertain', 'Slack did not return the id of the sent message.');
    if (open.size < MAX_OPEN) open.add(id);
    return id;
  }

  async function stop({ chatId }: ChatTarget, ts: string, signal: AbortSignal): Promise<void> {
    open.delete(ts);
    const stopped = api.call('chat.stopStream', { channel: chatId, ts }, { signal, isRepeatable: true });
    await stopped.catch((error: unknown) => {
      const hasEnded = /: (?:message_not_in_streaming_state|stopped_by_user)$/;
      if (!(error instanceof ChannelError) || !hasEnded.test(error.message)) throw error;
    });
  }

  return {
    streams: {
      start: async (target, text, signal) => ({ id: await start(target, text, signal) }),
      async append({ chatId }, messageId, markdown, signal) {
        const parameters = { channel: chatId, ts: messageId, markdown_text: withoutMentions(markdown) };
        await api.call('chat.appendStream', parameters, { signal });
      },
      stop,
    },
    async change(target, messageId, signal, run) {
      if (open.has(messageId)) await stop(target, messageId, signal);
      try {
        await run();
      } catch (error) {
        if (!(error instanceof ChannelError) || !IS_STREAMING.test(error.message)) throw error;
        await stop(target, messageId, signal);
        await run();
      }
    },
  };
}

/** What Slack answers to changes of a message that is still a stream. */
const IS_STREAMING = /^Slack: (?:chat\.update: streaming_state_conflict|chat\.delete: cant_delete_message)$/;

/**
 * Slack reads Markdown here, and could notify users and channels that a model names. An invisible character prevents that,
 * also where a text is cut between two calls. The complete text that replaces the stream does not have it.
 */
function withoutMentions(markdown: string): string {
  return markdown.toWellFormed().replaceAll(/[<@]/g, '$&\u2060');
}
