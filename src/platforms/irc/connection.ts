import { isIP, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { ChannelError } from '../../contracts/index.ts';
import { explainConnectionError } from '../../util/index.ts';
import { type IrcLine, readLine } from './line.ts';

export type IrcServer = { host: string; port: number; useTls: boolean };
export type IrcTimes = { connectMs: number; callMs: number; pingMs: number; silenceMs: number };

/** A connection to an IRC server: lines in both directions, with a check that it is alive. */
export interface IrcConnection {
  readonly isOpen: boolean;
  /** Rejects with a `ChannelError` when the connection has ended. */
  readonly ended: Promise<never>;
  write(line: string): void;
  /** Adds a listener for all lines. Returns a function that removes it. */
  listen(listener: (line: IrcLine) => void): () => void;
  /** Resolves when the server has processed everything that was written before. */
  flush(): Promise<void>;
  close(reason?: ChannelError): void;
}

/** Servers limit lines to 512 bytes, and tags to 8,191. */
const MAX_BUFFER = 64 * 1024;

export async function openConnection(server: IrcServer, times: IrcTimes, signal: AbortSignal): Promise<IrcConnection> {
  const socket = await connectSocket(server, times.connectMs, signal);
  const listeners = new Set<(line: IrcLine) => void>();
  const flushes = new Map<string, () => void>();
  const ending = Promise.withResolvers<never>();
  ending.promise.catch(() => undefined);
  let [isOpen, missed, lastPing] = [true, 0, 0];
  const close = (reason = new ChannelError('transient', 'IRC: the connection was closed.')) => {
    isOpen = false;
    clearInterval(timer);
    ending.reject(reason);
    socket.destroy();
  };
  const write = (line: string) => void socket.write(`${line.replace(/[\r\n\0]/g, ' ')}\r\n`);
  const ping = () => {
    lastPing += 1;
    write(`PING :hermes-${lastPing}`);
    return `hermes-${lastPing}`;
  };
  // Counted, so that a process that was suspended does not take its own silence for that of the server.
  const timer = setInterval(() => {
    missed += 1;
    if (missed * times.pingMs <= times.silenceMs) ping();
    else close(new ChannelError('transient', `IRC: no data for ${times.silenceMs / 1000} s.`));
  }, times.pingMs);
  timer.unref();
  const onLine = (line: IrcLine) => {
    missed = 0;
    if (line.command === 'PING') write(`PONG :${line.params.at(-1) ?? ''}`);
    if (line.command === 'PONG') flushes.get(line.params.at(-1) ?? '')?.();
    for (const listener of listeners) listener(line);
  };
  readLines(socket, onLine, close);
  socket.on('error', (error) => close(lost(error.message)));
  socket.on('close', () => close(lost('the server closed the connection')));
  return {
    get isOpen() {
      return isOpen;
    },
    ended: ending.promise,
    write,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async flush() {
      const token = ping();
      const answered = new Promise<void>((resolve) => flushes.set(token, resolve));
      await Promise.race([answered, ending.promise]).finally(() => flushes.delete(token));
    },
    close,
  };
}

const lost = (reason: string) => new ChannelError('transient', `IRC: ${explainConnectionError(reason)}.`);

function readLines(socket: Socket, onLine: (line: IrcLine) => void, close: (reason: ChannelError) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = readLine(text);
      if (line !== undefined) onLine(line);
    }
    if (rest.length > MAX_BUFFER) close(new ChannelError('transient', 'IRC: the server sent a line without an end.'));
  });
}

async function connectSocket(
  { host, port, useTls }: IrcServer,
  connectMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { connect } = useTls ? await import('node:tls') : await import('node:net');
  if (signal.aborted) throw new ChannelError('transient', 'IRC: the attempt to connect was aborted.');
  const socket: Socket = useTls
    ? (connect as typeof import('node:tls').connect)({ host, port, ...(isIP(host) === 0 && { servername: host }) })
    : (connect as typeof import('node:net').connect)({ host, port });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`no connection after ${connectMs / 1000} s`)), connectMs);
  const onAbort = () => reject(new Error('the attempt to connect was aborted'));
  signal.addEventListener('abort', onAbort, { once: true });
  socket.once(useTls ? 'secureConnect' : 'connect', resolve);
  socket.once('error', reject);
  try {
    await promise;
    return socket.setKeepAlive(true).setNoDelay(true);
  } catch (error) {
    socket.destroy();
    throw lost(`${host}:${port}: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
