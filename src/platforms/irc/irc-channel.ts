import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelFacts,
  type ChannelMessage,
  type SendOptions,
} from '../../contracts/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import { type IrcConnection, type IrcServer, type IrcTimes, openConnection } from './connection.ts';
import { foldName } from './line.ts';
import { createReader } from './read-message.ts';
import { type IrcLogin, register } from './register.ts';
import { MAX_TEXT, renderIrc } from './render.ts';

export type IrcOptions = IrcServer &
  IrcLogin & {
    requireMention?: boolean;
    /** For tests. */
    times?: Partial<IrcTimes>;
    clock?: Clock;
  };

const TIMES: IrcTimes = { connectMs: 30_000, callMs: 20_000, pingMs: 30_000, silenceMs: 90_000 };

/** Servers disconnect clients that send more than a line in two seconds for long. */
const FACTS: ChannelFacts = {
  platform: 'irc',
  maxText: MAX_TEXT,
  textUnit: 'bytes',
  hasButtons: false,
  streaming: 'none',
  maxUploadBytes: 0,
  maxDownloadBytes: 0,
  repeats: 'none',
  rates: { account: { count: 5, perMs: 10_000 }, chat: { count: 5, perMs: 10_000 } },
  silenceMs: 120_000,
};

/** IRC, over one connection for receiving and sending. Nothing is kept for a client that is not connected. */
export function createIrcChannel(options: IrcOptions): Channel {
  rememberSecrets([options.password, options.nickServPassword, options.sasl?.password]);
  const times = { ...TIMES, ...options.times };
  const clock = options.clock ?? systemClock;
  const link = createLink(options, times);
  return {
    facts: FACTS,
    render: renderIrc,
    async identify(signal) {
      await link.use(signal);
      return { account: `irc:${options.host}/${options.nickname}`, name: options.nickname };
    },
    async receive({ deliver, onAlive, signal }) {
      try {
        const { connection, nickname } = await link.use(signal);
        const read = createReader({ ...options, nickname, now: () => clock.now() });
        const aborted = Promise.withResolvers<void>();
        const onAbort = () => aborted.resolve();
        signal.addEventListener('abort', onAbort, { once: true });
        let storing: Promise<unknown> = Promise.resolve();
        const failed = Promise.withResolvers<never>();
        failed.promise.catch(() => undefined);
        const stop = connection.listen((line) => {
          onAlive();
          const event = read(line);
          if (event !== undefined) storing = storing.then(() => deliver([event], {})).catch(failed.reject);
        });
        onAlive();
        await Promise.race([connection.ended, failed.promise, aborted.promise]).finally(stop);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        link.close();
      }
    },
    send: (message, sending) => sendMessage(link, message, sending, times.callMs),
    edit: () => Promise.reject(new ChannelError('rejected', 'IRC: messages cannot be edited.')),
    fetchFile: () => Promise.reject(new ChannelError('rejected', 'IRC: there are no files.')),
    close() {
      link.close();
      return Promise.resolve();
    },
  };
}

type Link = ReturnType<typeof createLink>;
type Session = { connection: IrcConnection; nickname: string };

/** The connection of a channel, which is opened when it is needed. */
function createLink(options: IrcOptions, times: IrcTimes) {
  let session: Promise<Session> | undefined;
  let current: Session | undefined;
  const open = async (signal: AbortSignal): Promise<Session> => {
    const connection = await openConnection(options, times, signal);
    const timeout = setTimeout(
      () => connection.close(new ChannelError('transient', 'IRC: the login timed out.')),
      times.connectMs,
    );
    const onAbort = () => connection.close();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      current = { connection, nickname: await register(connection, options) };
      return current;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      clearTimeout(timeout);
      signal.removeEventListener('abort', onAbort);
    }
  };
  return {
    async use(signal: AbortSignal): Promise<Session> {
      if (signal.aborted) throw new ChannelError('transient', 'IRC: the call was aborted.');
      if (current?.connection.isOpen === false) [session, current] = [undefined, undefined];
      session ??= open(signal).catch((error: unknown) => {
        session = undefined;
        throw error;
      });
      return session;
    },
    close() {
      if (current?.connection.isOpen) current.connection.write('QUIT :closed');
      current?.connection.close();
      [session, current] = [undefined, undefined];
    },
  };
}

/** Sends one line. The server answers a later PING only after it has processed the line, and errors come before. */
async function sendMessage(
  link: Link,
  { target, content, file }: ChannelMessage,
  { signal }: SendOptions,
  callMs: number,
): Promise<{ id: string }> {
  if (file !== undefined || content === undefined) throw new ChannelError('rejected', 'IRC: a message needs a text.');
  const { text } = content;
  if (/[\r\n\0]/.test(text)) throw new ChannelError('bad_format', 'IRC: a message is one line.');
  if (!/^[^\s,:\0]{1,64}$/.test(target.chatId))
    throw new ChannelError('not_found', `IRC: ${target.chatId} is not a name.`);
  const length = Buffer.byteLength(text);
  if (length > MAX_TEXT) {
    throw new ChannelError('too_long', `IRC: the text has ${length} bytes; ${MAX_TEXT} are allowed.`);
  }
  const { connection } = await link.use(signal);
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  const stop = connection.listen(({ command, params }) => {
    const fault = REFUSALS[command];
    if (fault === undefined || foldName(params[1] ?? '') !== foldName(target.chatId)) return;
    refused.reject(new ChannelError(fault, `IRC: ${target.chatId}: ${params.at(-1) ?? command}.`));
  });
  connection.write(`PRIVMSG ${target.chatId} :${text}`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(callMs)]);
  const given = Promise.withResolvers<never>();
  const uncertain = () => given.reject(new ChannelError('uncertain', 'IRC: the server did not confirm the message.'));
  given.promise.catch(() => undefined);
  limit.addEventListener('abort', uncertain, { once: true });
  try {
    const flushed = connection.flush().catch(uncertain);
    await Promise.race([refused.promise, given.promise, flushed]);
    // IRC has no ids.
    return { id: randomUUID() };
  } finally {
    stop();
    limit.removeEventListener('abort', uncertain);
  }
}

const REFUSALS: Readonly<Record<string, 'not_found' | 'forbidden'>> = {
  '401': 'not_found',
  '403': 'not_found',
  '404': 'forbidden',
  '442': 'forbidden',
  '477': 'forbidden',
  '486': 'forbidden',
  '531': 'forbidden',
};
