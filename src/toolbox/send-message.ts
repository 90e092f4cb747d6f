import * as z from 'zod/mini';
import { HermesError } from '../base/index.ts';
import type { Messaging, MessageTarget } from '../contracts/index.ts';
import { approveCall, defineTool, ToolFailure } from '../tools/index.ts';

export const sendMessageTool = defineTool({
  name: 'send_message',
  toolset: 'messaging',
  emoji: '📨',
  asksBefore: 'every message to another chat than the current one',
  description:
    'Send a message to another chat on a messaging platform, or list the chats you can send to. Call it with action "list" first, unless the user gave a platform or an id. Do not use it to answer in the current chat: your answer is sent there automatically.',
  parameters: z.object({
    action: z.enum(['send', 'list']),
    target: z.optional(
      z
        .string()
        .check(
          z.describe(
            'Where to send: "telegram" (the home channel of the platform), "telegram:#name", or "telegram:CHAT_ID" or "telegram:CHAT_ID:THREAD_ID". Required for send.',
          ),
        ),
    ),
    message: z.optional(z.string().check(z.describe('The text in Markdown. Required for send.'))),
  }),
  concurrency: { mode: 'barrier' },
  requiredServices: ['messaging'],
  async run({ action, target, message }, context) {
    const { messaging } = context.services;
    if (messaging === undefined) throw new ToolFailure('No messaging platform is configured here.');
    if (action === 'list') return listTargets(messaging);
    if (target === undefined || target.trim() === '') throw new ToolFailure('send requires target.');
    if (message === undefined || message.trim() === '') throw new ToolFailure('send requires message.');
    const found = await messaging.findTarget(target).catch(explain);
    const tool = { name: 'send_message', reads: false, asks: !messaging.isCurrentChat(found), sends: true };
    await approveCall(tool, `${describeTarget(found)}\n${message}`, context);
    const delivery = await messaging.send(found, message, context.signal).catch(explain);
    const where = describeTarget(found);
    if (delivery.outcome === 'failed')
      throw new ToolFailure(`The message was not sent to ${where}: ${delivery.reason}`);
    if (delivery.outcome === 'delivered') return `The message was delivered to ${where}.`;
    return `The message to ${where} is not delivered yet: ${delivery.reason} It is stored and will be sent as soon as possible, so do not send it again.`;
  },
});

function explain(thrown: unknown): never {
  if (!(thrown instanceof HermesError)) throw thrown;
  throw new ToolFailure([thrown.message, thrown.hint].filter(Boolean).join(' '));
}

async function listTargets(messaging: Messaging): Promise<string> {
  const { homes, chats, platforms } = await messaging.listTargets();
  const lines = [
    ...homes.map((home) => `${home.platform}: home channel, ${home.name}`),
    ...chats.map((chat) => `${addressOf(chat)}: ${chat.name} (${chat.type})`),
  ];
  if (lines.length > 0) return lines.join('\n');
  return `No chats are known yet on ${platforms.join(', ') || 'any platform'}. Send to a chat id that the user gives you.`;
}

function addressOf({ platform, chatId, threadId }: MessageTarget): string {
  return [platform, chatId, threadId].filter((part) => part !== undefined).join(':');
}

function describeTarget(target: MessageTarget): string {
  return target.name === target.chatId ? addressOf(target) : `${target.name} (${addressOf(target)})`;
}
