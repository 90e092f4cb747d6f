import * as z from 'zod/mini';
import { HermesError } from '../../../base/index.ts';
import type { Messaging, MessageTarget } from '../../../contracts/index.ts';
import { defineServedTool } from '../define-served-tool.ts';
import type { ServedTool } from '../served-parts.ts';

/** Uses the messaging platforms for one call: the account of a bot must be free for a gateway that starts later. */
export type UseMessaging = <Value>(task: (messaging: Messaging) => Promise<Value>) => Promise<Value>;

export function messageTools(useMessaging: UseMessaging): ServedTool[] {
  return [sendTool(useMessaging), channelsTool(useMessaging)];
}

function sendTool(useMessaging: UseMessaging): ServedTool {
  return defineServedTool({
    name: 'messages_send',
    title: 'Send a message',
    description:
      'Send a message to a chat as the bot of Hermes. The message is stored first, so it is sent once even if Hermes is stopped. If success is true with the status "waiting", it will be sent when the platform can be reached: do not send it again.',
    parameters: z.object({
      target: z
        .string('a string is required')
        .check(
          z.regex(/\S/, 'a target is required, such as "telegram:123"'),
          z.describe(
            'Where to send: "telegram:CHAT_ID", "telegram:CHAT_ID:THREAD_ID", "discord:#name", or "telegram" for the home channel. channels_list returns targets.',
          ),
        ),
      message: z
        .string('a string is required')
        .check(z.regex(/\S/, 'a text is required'), z.describe('The text in Markdown.')),
    }),
    readOnly: false,
    isOpenWorld: true,
    async run({ target: asked, message }, { signal }) {
      return useMessaging(async (messaging) => {
        const target = await messaging.findTarget(asked);
        const delivery = await messaging.send(target, message, signal);
        if (delivery.outcome === 'failed') throw new HermesError(`The message was not sent: ${delivery.reason}`);
        const { platform, chatId, threadId } = target;
        return {
          result: {
            success: true,
            status: delivery.outcome,
            platform,
            chat_id: chatId,
            ...(threadId !== undefined && { thread_id: threadId }),
            message_id: delivery.messageIds[0] ?? '',
            ...(delivery.outcome === 'waiting' && { note: `${delivery.reason} The message is stored.` }),
          },
        };
      });
    },
  });
}

function channelsTool(useMessaging: UseMessaging): ServedTool {
  return defineServedTool({
    name: 'channels_list',
    title: 'List channels',
    description: 'List the chats that messages_send can send to, with the target to pass for each.',
    parameters: z.object({
      platform: z.optional(z.string().check(z.describe('Return only chats of this platform, such as "telegram".'))),
    }),
    readOnly: true,
    async run({ platform }) {
      const { homes, chats } = await useMessaging((messaging) => messaging.listTargets());
      const known = [...homes.map((home) => ({ ...home, type: 'home' })), ...chats];
      const byTarget = new Map(known.toReversed().map((chat) => [addressOf(chat), chat]));
      const channels = [...byTarget.entries()]
        .toReversed()
        .filter(([, chat]) => platform === undefined || chat.platform.toLowerCase() === platform.toLowerCase())
        .map(([target, { platform: name, name: title, type }]) => ({
          target,
          platform: name,
          name: title,
          chat_type: type,
        }));
      return { result: { count: channels.length, channels } };
    },
  });
}

function addressOf({ platform, chatId, threadId }: MessageTarget): string {
  return [platform, chatId, threadId].filter((part) => part !== undefined).join(':');
}
