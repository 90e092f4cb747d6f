import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, systemClock } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import type { Messaging, MessageTarget } from '../../../contracts/index.ts';
import { fileErrorReason } from '../../../util/index.ts';
import { onlyPlatform, openCommandMessaging } from '../../gateway/index.ts';
import type { CliIo } from '../cli-io.ts';
import { MAX_INPUT, readInput } from '../read-input.ts';
import { withStore } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';

export type SendOptions = {
  to?: string;
  file?: string;
  subject?: string;
  list?: boolean;
  quiet?: boolean;
  json?: boolean;
};

/** `hermes send`. Returns 0 only if the message was delivered. */
export async function sendCommand(words: readonly string[], options: SendOptions, io: CliIo, signal: AbortSignal) {
  const text = options.list ? '' : await readText(words, options, io);
  return withStore(io, async (store) => {
    const messaging = await openCommandMessaging({
      home: resolveHome(io.env),
      env: io.env,
      sessions: store,
      clock: io.clock ?? systemClock,
    });
    try {
      return options.list
        ? await listTargets(messaging, options, io)
        : await sendText(messaging, text, { options, io, signal });
    } finally {
      await messaging.close();
    }
  });
}

async function readText(words: readonly string[], { file, subject }: SendOptions, io: CliIo): Promise<string> {
  const given = words.join(' ');
  if (given.trim() !== '' && file !== undefined)
    throw new ConfigurationError('Pass either a text or --file, not both.');
  const body = file === undefined || file === '-' ? given || (await readInput(io)) : await readTextFile(file, io);
  if (body.trim() === '')
    throw new ConfigurationError('There is no text to send.', {
      hint: 'Pass it as an argument, with --file, or on stdin.',
    });
  return subject === undefined ? body : `**${subject}**\n\n${body}`;
}

async function readTextFile(file: string, { workingDirectory }: CliIo): Promise<string> {
  const bytes = await readFile(resolve(workingDirectory, file)).catch((thrown: unknown) => {
    throw new ConfigurationError(`Cannot read ${file}: ${fileErrorReason(thrown)}.`);
  });
  if (bytes.length > MAX_INPUT || bytes.includes(0))
    throw new ConfigurationError(`${file} is not a text that can be sent as a message.`);
  return bytes.toString('utf8');
}

type Sending = { options: SendOptions; io: CliIo; signal: AbortSignal };

async function sendText(messaging: Messaging, text: string, { options, io, signal }: Sending): Promise<number> {
  const to = options.to ?? onlyPlatform((await messaging.listTargets()).platforms);
  const target = await messaging.findTarget(to);
  const delivery = await messaging.send(target, text, signal);
  const isDelivered = delivery.outcome === 'delivered';
  if (options.json) writeJson(io.stdout, { target, ...delivery });
  else if (!isDelivered) {
    const later = delivery.outcome === 'waiting' ? ' It is stored; `hermes gateway run` will send it.' : '';
    io.stderr.write(printable(`Not delivered to ${addressOf(target)}: ${delivery.reason}${later}`) + '\n');
  } else if (!options.quiet) io.stdout.write(printable(`Delivered to ${describe(target)}.`) + '\n');
  return isDelivered ? 0 : 1;
}

async function listTargets(messaging: Messaging, { json }: SendOptions, io: CliIo): Promise<number> {
  const { homes, chats, platforms } = await messaging.listTargets();
  if (json) {
    writeJson(io.stdout, { homes, chats, platforms });
    return 0;
  }
  const lines = [
    ...homes.map((home) => `${home.platform}  home channel: ${describe(home)}`),
    ...chats.map((chat) => `${addressOf(chat)}  ${chat.name} (${chat.type})`),
  ];
  const none =
    platforms.length === 0
      ? 'No messaging platform is configured. Run `hermes gateway setup`.'
      : 'No chats are known yet. Write to the bot first.';
  io.stdout.write(`${lines.length === 0 ? none : lines.map(printable).join('\n')}\n`);
  return 0;
}

function addressOf({ platform, chatId, threadId }: MessageTarget): string {
  return [platform, chatId, threadId].filter((part) => part !== undefined).join(':');
}

function describe(target: MessageTarget): string {
  return target.name === target.chatId ? addressOf(target) : `${target.name} (${addressOf(target)})`;
}
