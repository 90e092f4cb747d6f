import type { Agent } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import { errorMessage, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import { explainConnectionError } from '../../util/index.ts';
import { textAt } from '../json-fields.ts';

export type SocketTimes = {
  /** How long connecting may take, until Slack says hello. */
  connectMs: number;
  /** How often the connection is checked. */
  pingMs: number;
  /** A connection on which nothing arrives for this time is dead. */
  silenceMs: number;
};

/** One WebSocket of Socket Mode. Slack replaces it every few hours. */
export interface SlackSocket {
  /** Resolves when Slack wants the socket to be replaced. Rejects with a `ChannelError` when it has failed. */
  readonly ended: Promise<void>;
  /** Destroys the connection, without waiting for Slack, which may be gone. */
  terminate(): void;
}

export type SocketHandlers = {
  /** Called with everything that has to be acknowledged, and with the function for that. */
  onEnvelope(envelope: JsonObject, acknowledge: () => void): void;
  /** Called when Slack has said hello, or has answered a ping and has everything that was acknowledged before. */
  onAlive(): void;
};

const MAX_FRAME = 16 * 1024 * 1024;

/** Connects and waits for Slack's hello. */
export async function openSocket(
  url: string,
  { agent, signal, ...times }: SocketTimes & { agent: Agent; signal: AbortSignal },
  handlers: SocketHandlers,
): Promise<SlackSocket> {
  const webSocket = new WebSocket(url, { agent, perMessageDeflate: false, maxPayload: MAX_FRAME });
  const hello = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // Nothing waits for the second one while the socket connects, or for the first one afterwards.
  for (const { promise } of [hello, ended]) promise.catch(() => undefined);
  let acknowledged = 0;
  /** The checks since something arrived. If this process was suspended, that is not the silence of Slack. */
  let missed = 0;
  const fail = (error: ChannelError) => {
    hello.reject(error);
    ended.reject(error);
    stop();
  };
  const check = setInterval(() => {
    missed += 1;
    const silent = missed * times.pingMs;
    if (silent > times.silenceMs) fail(broken(`no sign of life for ${silent} ms`));
    else if (webSocket.readyState === WebSocket.OPEN) webSocket.ping(String(acknowledged));
  }, times.pingMs);
  const connecting = setTimeout(() => fail(broken(`no connection after ${times.connectMs / 1000} s`)), times.connectMs);
  const stop = () => {
    clearInterval(check);
    clearTimeout(connecting);
    signal.removeEventListener('abort', onAbort);
    webSocket.terminate();
  };
  const onAbort = () => fail(broken('the connection was aborted'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  webSocket.on('error', (error) => fail(broken(explainConnectionError(errorMessage(error)))));
  webSocket.on('close', () => fail(broken('the connection was closed')));
  webSocket.on('ping', () => void (missed = 0));
  webSocket.on('pong', (data) => {
    missed = 0;
    if (data.toString() === String(acknowledged)) handlers.onAlive();
  });
  webSocket.on('message', (data, isBinary) => {
    missed = 0;
    const message = isBinary ? undefined : parseJson(textOf(data));
    const type = isJsonObject(message) ? textAt(message, 'type') : undefined;
    // What cannot be read is not acknowledged, so Slack sends it again.
    if (!isJsonObject(message)) return;
    const { envelope_id: id } = message;
    if (type === 'hello') {
      clearTimeout(connecting);
      hello.resolve();
      handlers.onAlive();
    } else if (type === 'disconnect') end(textAt(message, 'reason'));
    else if (typeof id === 'string') handlers.onEnvelope(message, () => acknowledge(id));
  });

  function end(reason: string | undefined): void {
    if (reason === 'link_disabled') fail(new ChannelError('fatal', 'Socket Mode is disabled for the Slack app.', HINT));
    else ended.resolve();
  }

  /** If the socket is closed, Slack delivers the envelope again. */
  function acknowledge(id: string): void {
    if (webSocket.readyState !== WebSocket.OPEN) return;
    acknowledged += 1;
    webSocket.send(JSON.stringify({ envelope_id: id }));
  }

  await hello.promise;
  return { ended: ended.promise, terminate: stop };
}

const HINT = { hint: 'Turn it on at https://api.slack.com/apps, under Socket Mode.' };

const broken = (reason: string) => new ChannelError('transient', `Slack: Socket Mode failed: ${reason}.`);

function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');
}
