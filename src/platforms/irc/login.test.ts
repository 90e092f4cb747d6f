import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChannelSettings } from '../../contracts/index.ts';
import { startReceiving } from '../../testing/index.ts';
import { openChannels } from '../index.ts';
import { settingsOf } from '../../../test/support/platform-settings.ts';
import { createIrcChannel, type IrcOptions } from './irc-channel.ts';
import { readLine } from './line.ts';
import { createReader } from './read-message.ts';

/** A server that answers lines as a test says, for what a real one does not do. */
async function startServer(answer: (line: string, socket: Socket) => void) {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').split('\r\n').filter(Boolean)) {
        lines.push(line);
        answer(line, socket);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = (options: Partial<IrcOptions> = {}) => {
    const times = { connectMs: 5000, callMs: 5000, pingMs: 20, silenceMs: 5000 };
    const all = { host: '127.0.0.1', port, useTls: false, nickname: 'hermes', channels: [], times };
    const channel = createIrcChannel({ ...all, ...options });
    onTestFinished(() => channel.close());
    return channel;
  };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { lines, open, sockets };
}

const soon = () => AbortSignal.timeout(20_000);

/** Lets everybody in, and answers PING. */
const welcoming = (line: string, socket: Socket) => {
  if (line.startsWith('USER')) socket.write(':irc.test 001 hermes :Welcome\r\n');
  if (line.startsWith('PING')) socket.write(`:irc.test PONG irc.test ${line.slice(5)}\r\n`);
};

describe('SASL', () => {
  const sasl = { account: 'hermes', password: 'the-secret-password' };
  const serve = (offered: string, outcome: string) =>
    startServer((line, socket) => {
      const reply = (text: string) => socket.write(`:irc.test ${text}\r\n`);
      if (line.startsWith('CAP LS')) reply(`CAP * LS :${offered}`);
      if (line.startsWith('CAP REQ')) reply('CAP hermes ACK :sasl');
      if (line === 'AUTHENTICATE PLAIN') socket.write('AUTHENTICATE +\r\n');
      else if (line.startsWith('AUTHENTICATE')) reply(`${outcome} hermes :the outcome`);
      if (line === 'CAP END') reply('001 hermes :Welcome');
      if (line.startsWith('PING')) reply(`PONG irc.test ${line.slice(5)}`);
    });

  it('logs in before the connection is complete', async () => {
    const { lines, open } = await serve('multi-prefix sasl=PLAIN,EXTERNAL', '903');
    const channel = open({ sasl, channels: ['#one'], nickServPassword: 'other-password' });
    expect(await channel.identify(soon())).toEqual({ account: 'irc:127.0.0.1/hermes', name: 'hermes' });
    const encoded = Buffer.from('\0hermes\0the-secret-password').toString('base64');
    expect(lines.filter((line) => !line.startsWith('PING'))).toEqual([
      'CAP LS 302',
      'NICK hermes',
      'USER hermes 0 * :Hermes',
      'CAP REQ :sasl',
      'AUTHENTICATE PLAIN',
      `AUTHENTICATE ${encoded}`,
      'CAP END',
      'PRIVMSG NickServ :IDENTIFY other-password',
      'JOIN #one',
    ]);
  });

  it.each([
    ['multi-prefix', '903', /does not support SASL/],
    ['sasl', '904', /does not accept the SASL password/],
  ])('is fatal if the server offers %s and answers %s', async (offered, outcome, message) => {
    const { open } = await serve(offered, outcome);
    const error: unknown = await open({ sasl })
      .identify(soon())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'fatal', message });
    expect(JSON.stringify(error) + String(error)).not.toContain(sasl.password);
  });
});

describe('a broken server', () => {
  const message = { target: { chatId: 'ada' }, content: { text: 'hello' } };
  const sending = () => ({ key: 'a', mayHaveArrived: false, signal: soon() });

  it('that closes the connection leaves it open whether a message has arrived', async () => {
    const { open } = await startServer((line, socket) => {
      if (line.startsWith('PRIVMSG')) socket.destroy();
      else welcoming(line, socket);
    });
    await expect(open().send(message, sending())).rejects.toMatchObject({ fault: 'uncertain' });
  });

  it('that does not answer any more is noticed by its silence', async () => {
    let isSilent = false;
    const { open } = await startServer((line, socket) => {
      if (!isSilent) welcoming(line, socket);
    });
    const times = { connectMs: 5000, callMs: 300, pingMs: 20, silenceMs: 100 };
    const channel = open({ times });
    const receiving = startReceiving(channel);
    await receiving.waitForProof();
    isSilent = true;
    expect(await receiving.ended).toMatchObject({ fault: 'transient' });
  });

  it('that never lets the bot in, or sends a line without an end, fails the attempt', async () => {
    const silent = await startServer(() => undefined);
    const times = { connectMs: 100, callMs: 300, pingMs: 1000, silenceMs: 5000 };
    await expect(silent.open({ times }).identify(soon())).rejects.toMatchObject({ fault: 'transient' });
    const endless = await startServer((_, socket) => socket.write('x'.repeat(70_000)));
    await expect(endless.open().identify(soon())).rejects.toMatchObject({ fault: 'transient' });
  });

  it('that cannot be reached is transient', async () => {
    const { open, sockets } = await startServer(welcoming);
    const channel = open({ port: 1 });
    await expect(channel.identify(soon())).rejects.toMatchObject({ fault: 'transient' });
    expect(sockets.size).toBe(0);
  });
});

describe('lines', () => {
  it.each([
    ['PING :a b', { command: 'PING', params: ['a b'], prefix: '' }],
    [':n!u@h PRIVMSG #c ::-) x', { command: 'PRIVMSG', params: ['#c', ':-) x'], prefix: 'n!u@h' }],
    ['@account=ada;x :n!u@h privmsg  bot hi', { command: 'PRIVMSG', params: ['bot', 'hi'], prefix: 'n!u@h' }],
    [':irc.test 001 hermes', { command: '001', params: ['hermes'], prefix: 'irc.test' }],
  ])('are read: %s', (text, expected) => {
    expect(readLine(text)).toMatchObject(expected);
  });

  it('of any content are read or skipped, and give at most one message', () => {
    const read = createReader({ nickname: 'her[mes', now: () => 1 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, isMessage) => {
        const line = readLine(isMessage ? `:n!u@h PRIVMSG her[mes :${text}` : text);
        const event = line && read(line);
        expect(event?.source.userId ?? '!').toContain('!');
      }),
      { numRuns: 2000 },
    );
  });

  it('identify users by their account, or by nickname, user and host', () => {
    const read = createReader({ nickname: 'hermes', now: () => 1 });
    const userOf = (text: string) => {
      const line = readLine(text);
      return line && read(line)?.source.userId;
    };
    expect(userOf('@account=ada :nick!u@h PRIVMSG hermes :hi')).toBe('account:ada');
    expect(userOf(':account:ada!u@h PRIVMSG hermes :hi')).toBe('account:ada!u@h');
    expect(userOf(':ada!u@h PRIVMSG hermes :hi')).toBe('ada!u@h');
  });
});

it('reads its settings', async () => {
  const settings = await settingsOf('irc', {
    variables: { IRC_SERVER: 'irc.example', IRC_NICKNAME: 'bot', IRC_CHANNELS: '#a,#b', IRC_PORT: '6700' },
  });
  const [channel] = await openChannels(settings as ChannelSettings);
  expect(channel?.facts.platform).toBe('irc');
  await channel?.close();
  expect(await settingsOf('irc', { variables: { IRC_SERVER: 'irc.example' } })).toBeUndefined();
});
