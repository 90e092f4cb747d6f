import type { Clock } from '../../base/index.ts';
import { type Channel, ChannelError, type ChatTarget } from '../../contracts/index.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';
import { escapeText, type SlackBot } from './read-text.ts';
import { toBlocks } from './render.ts';
import { addressOf, textOf } from './send.ts';
import type { SlackApi } from './slack-api.ts';
import { createSlackStreams } from './streams.ts';

/** The names that Slack has for reactions. */
const REACTIONS: Readonly<Record<string, string>> = {
  '👀': 'eyes',
  '✅': 'white_check_mark',
  '❌': 'x',
  '⏳': 'hourglass_flowing_sand',
  '👍': '+1',
  '👎': '-1',
  '❤': 'heart',
  '🎉': 'tada',
  '🤔': 'thinking_face',
  '⚠️': 'warning',
};

/** Slack shows a status for two minutes, or until the bot writes. */
const STATUS_MS = 30_000;
/** In more threads at the same time, the status is not shown. */
const MAX_SHOWN = 1000;

type ActionParts = { known(signal: AbortSignal): Promise<SlackBot>; clock: Clock };

const repeatable = (signal: AbortSignal) => ({ signal, isRepeatable: true });

/** What can be done to a message or a chat other than sending. */
export function createMessageActions(api: SlackApi, { known, clock }: ActionParts) {
  const { streams, change } = createSlackStreams(api, known);
  return {
    async edit({ chatId }, messageId, content, signal) {
      const parameters = { channel: chatId, ts: messageId, ...textOf(content), blocks: toBlocks(content) };
      const update = () => api.call('chat.update', parameters, repeatable(signal));
      await change({ chatId }, messageId, signal, update);
    },
    async remove({ chatId }, messageId, signal) {
      const isFile = messageId.startsWith('F');
      const remove = () =>
        isFile
          ? api.call('files.delete', { file: messageId }, repeatable(signal))
          : api.call('chat.delete', { channel: chatId, ts: messageId }, repeatable(signal));
      const removed = change({ chatId }, messageId, signal, remove);
      await ignoring(removed, /: (?:message_not_found|file_not_found|file_deleted)$/);
    },
    streams,
    showTyping: createStatus(api, clock),
    async react({ chatId }, messageId, reaction, signal) {
      const wanted = reaction && REACTIONS[reaction];
      if (reaction !== undefined && wanted === undefined) {
        throw new ChannelError('rejected', `Slack: ${reaction} has no known name.`);
      }
      const at = { channel: chatId, timestamp: messageId };
      const { userId } = await known(signal);
      const message = objectAt(await api.call('reactions.get', { ...at, full: true }, repeatable(signal)), 'message');
      const own = listAt(message, 'reactions').flatMap((entry) => {
        const users = entry['users'];
        return Array.isArray(users) && users.includes(userId) ? [textAt(entry, 'name') ?? ''] : [];
      });
      for (const name of own.filter((old) => old !== wanted)) {
        await ignoring(api.call('reactions.remove', { ...at, name }, repeatable(signal)), /: no_reaction$/);
      }
      if (wanted === undefined || own.includes(wanted)) return;
      await ignoring(api.call('reactions.add', { ...at, name: wanted }, repeatable(signal)), /: already_reacted$/);
    },
    async acknowledgeAction({ id }, text, signal) {
      const [channel, user, , thread] = id.split('/');
      if (channel === undefined || user === undefined || text === '') return;
      const address = addressOf(thread === undefined ? { chatId: channel } : { chatId: channel, threadId: thread });
      await api.call(
        'chat.postEphemeral',
        { ...address, user, text: escapeText(text.toWellFormed()) },
        repeatable(signal),
      );
    },
  } satisfies Partial<Channel>;
}

/** Slack shows in a thread that an answer is being written, if the app may do that. */
function createStatus(api: SlackApi, clock: Clock) {
  const shownAt = new Map<string, number>();
  let isPossible = true;
  return async ({ chatId, threadId }: ChatTarget, signal: AbortSignal): Promise<void> => {
    if (threadId === undefined || !isPossible) return;
    const now = clock.now();
    for (const [key, time] of shownAt) if (now - time >= STATUS_MS) shownAt.delete(key);
    const key = `${chatId}/${threadId}`;
    if (shownAt.has(key) || shownAt.size >= MAX_SHOWN) return;
    shownAt.set(key, now);
    const parameters = { channel_id: chatId, thread_ts: threadId, status: 'is typing…' };
    await api.call('assistant.threads.setStatus', parameters, repeatable(signal)).catch((error: unknown) => {
      const isPassing =
        error instanceof ChannelError && ['transient', 'rate_limited', 'not_found'].includes(error.fault);
      // A workspace or a token without this feature has it neither the next time.
      isPossible &&= isPassing;
      throw error;
    });
  };
}

async function ignoring(call: Promise<unknown>, pattern: RegExp): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ChannelError) || !pattern.test(error.message)) throw error;
  }
}
