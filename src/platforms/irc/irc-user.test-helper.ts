import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { nickOf, readLine } from './line.ts';

/** A user with an IRC client that is not the adapter, for tests. */
export type IrcUser = {
  nick: string;
  say(target: string, text: string): void;
  /** What was said to this user, and to a channel. */
  heard(from?: string): Promise<string[]>;
  /** The raw lines of the messages, as the server passed them on. */
  lines(): readonly Buffer[];
  close(): void;
};

export async function joinAsUser(
  port: number,
  nick: string,
  password: string,
  channels: readonly string[] = [],
): Promise<IrcUser> {
  const socket: Socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const messages: { target: string; from: string; text: string }[] = [];
  const raw: Buffer[] = [];
  const pongs = new Map<string, () => void>();
  const welcome = Promise.withResolvers<void>();
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let at = rest.indexOf('\r\n'); at >= 0; at = rest.indexOf('\r\n')) {
      onLine(rest.subarray(0, at + 2));
      rest = rest.subarray(at + 2);
    }
  });
  const write = (line: string) => void socket.write(`${line}\r\n`);
  let pings = 0;
  const flush = () =>
    new Promise<void>((resolve) => {
      pings += 1;
      pongs.set(`u${pings}`, resolve);
      write(`PING :u${pings}`);
    });
  write(`PASS ${password}`);
  write(`NICK ${nick}`);
  write(`USER ${nick} 0 * :Ada`);
  await welcome.promise;
  for (const channel of channels) write(`JOIN ${channel}`);
  await flush();
  return {
    nick,
    say: (target, text) => write(`PRIVMSG ${target} :${text}`),
    async heard(channel) {
      await flush();
      return messages.filter(({ target }) => target === (channel ?? nick)).map(({ text }) => text);
    },
    lines: () => raw,
    close: () => void socket.destroy(),
  };

  function onLine(bytes: Buffer): void {
    const line = readLine(bytes.toString('utf8').replace(/\r\n$/, ''));
    const [target = '', text = ''] = line?.params ?? [];
    if (line?.command === '001') welcome.resolve();
    if (line?.command === 'PING') write(`PONG :${line.params.at(-1)}`);
    if (line?.command === 'PONG') pongs.get(line.params.at(-1) ?? '')?.();
    if (line?.command !== 'PRIVMSG') return;
    messages.push({ target, from: nickOf(line.prefix), text });
    raw.push(bytes);
  }
}
