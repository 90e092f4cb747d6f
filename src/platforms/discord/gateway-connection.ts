import http from 'node:http';
import https from 'node:https';
import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import { numberAt, objectAt, textAt } from '../json-fields.ts';
import { WebSocketShard, WebSocketShardEvents } from './discord-protocol.ts';
import { closedError, isSessionLost } from './faults.ts';

/** A session of the gateway. After a disconnect, Discord sends the events after the sequence number again. */
export type GatewaySession = { id: string; url: string; sequence: number };

/** An event of the gateway. */
export type Dispatch = { sequence: number; name: string; data: JsonObject };

export type ConnectionOptions = {
  token: string;
  url: string;
  /** The session to resume; undefined starts a new one. */
  session: GatewaySession | undefined;
  /** Opens the connection, if necessary through a proxy. */
  agent: http.Agent;
  /** A connection without a message for this time is dead. */
  silenceMs: number;
  onDispatch(dispatch: Dispatch): void;
  /** Called when Discord has answered a heartbeat. */
  onAlive(): void;
};

/** `reconnect`: Discord asked for a new connection. `session_lost`: the session cannot be resumed. */
export type ConnectionEnd = 'reconnect' | 'session_lost';

export interface GatewayConnection {
  /** Rejects with a `ChannelError` if the connection failed. */
  readonly ended: Promise<ConnectionEnd>;
  readonly session: GatewaySession | undefined;
  /** The events up to this one are stored. Heartbeats report it to Discord. */
  acknowledge(sequence: number): void;
  /** Destroys the socket without waiting for Discord, which may be gone. The session can be resumed. */
  close(): void;
  /** The same, and `ended` rejects with this error. */
  fail(error: ChannelError): void;
}

/** Guilds, messages in guilds, direct messages, and the content of messages. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
const DISPATCH = 0;
const RECONNECT = 7;
const INVALID_SESSION = 9;
const HELLO = 10;
const HEARTBEAT_ACK = 11;

/** The parts of a shard that its types do not show. */
type ShardParts = {
  connection: { terminate(): void } | null;
  /** Whether Discord has answered the last heartbeat. */
  isAck: boolean;
  onMessage(data: unknown, isBinary: boolean): Promise<void>;
};

/**
 * One connection to the gateway. The shard of discord.js opens the socket, identifies or resumes, and sends heartbeats.
 * Its own reconnections are not used, because the account runner decides when a connection is tried again. Messages are
 * read here before the shard gets them: their order matters, and a malformed one must not end the process.
 */
export function connectGateway(options: ConnectionOptions): GatewayConnection {
  const end = Promise.withResolvers<ConnectionEnd>();
  const never = new Promise<never>(() => undefined);
  let session = options.session;
  let isOver = false;
  const shard = new WebSocketShard(
    {
      options: describeShard(options),
      // After the end, the shard waits here forever instead of connecting again.
      retrieveSessionInfo: () => (isOver ? never : toShardSession(session)),
      updateSessionInfo(_, info) {
        if (info !== null && info.sessionId !== session?.id)
          session = { id: info.sessionId, url: info.resumeURL, sequence: 0 };
      },
      waitForIdentify: () => Promise.resolve(),
    },
    0,
  );
  const parts = shard as unknown as ShardParts;
  const readByShard = parts.onMessage.bind(shard);
  // A connection is dead after a time without messages, which is watched here for all its phases.
  Object.defineProperty(parts, 'isAck', { get: () => true, set() {} });
  const silence = watchSilence(options.silenceMs, () => fail(silent(options.silenceMs)));

  function finish(settle: () => void): void {
    if (isOver) return;
    isOver = true;
    silence.stop();
    settle();
    parts.connection?.terminate();
    // Ends the heartbeats.
    shard.destroy().catch(() => undefined);
  }
  const fail = (error: ChannelError) => finish(() => end.reject(error));

  parts.onMessage = async (data, isBinary) => {
    if (isOver) return;
    const payload = isBinary ? undefined : parseJson(String(data));
    const frame = readFrame(payload);
    if (frame === undefined) return fail(new ChannelError('transient', 'Discord sent a message that is not valid.'));
    silence.touch();
    if (frame === 'reconnect' || frame === 'session_lost') return finish(() => end.resolve(frame));
    await readByShard(data, isBinary).catch((error: unknown) => fail(unreadable(error)));
    if (isOver) return;
    if (frame === 'alive') options.onAlive();
    else if (frame !== 'other') options.onDispatch(frame);
  };
  shard.on(WebSocketShardEvents.Closed, (code) => {
    if (isSessionLost(code)) finish(() => end.resolve('session_lost'));
    else fail(closedError(code));
  });
  // A socket error is followed by the close event, and an error by a fatal code.
  shard.on(WebSocketShardEvents.Error, () => undefined);
  end.promise.catch(() => undefined);
  shard.connect().catch(() => undefined);
  return {
    ended: end.promise,
    get session() {
      return session;
    },
    acknowledge(sequence) {
      if (session !== undefined) session = { ...session, sequence };
    },
    close: () => finish(() => end.resolve('reconnect')),
    fail,
  };
}

function describeShard({
  token,
  url,
  agent,
}: ConnectionOptions): ConstructorParameters<typeof WebSocketShard>[0]['options'] {
  return {
    token,
    intents: INTENTS,
    shardCount: 1,
    version: '10',
    encoding: 'json' as never,
    compression: null,
    useIdentifyCompression: false,
    identifyProperties: { browser: 'hermes', device: 'hermes', os: 'hermes' },
    initialPresence: null,
    largeThreshold: null,
    // Read immediately before the socket is opened. The time without a message is watched here, so there is no timeout.
    get handshakeTimeout() {
      useForNextSocket(agent);
      return null;
    },
    helloTimeout: null,
    readyTimeout: null,
    gatewayInformation: {
      url,
      shards: 1,
      session_start_limit: { total: 1, remaining: 1, reset_after: 0, max_concurrency: 1 },
    },
  };
}

/**
 * The package has no option for an agent, which knows proxies and certificates. Its socket calls `request` while it is
 * constructed, so that exactly this call gets the agent.
 */
function useForNextSocket(agent: http.Agent): void {
  for (const module of [http, https] as { request: typeof http.request }[]) {
    const { request } = module;
    const restore = () => void (module.request = request);
    module.request = ((options: http.RequestOptions, ...rest: []) => {
      restore();
      return request({ ...options, agent, createConnection: undefined }, ...rest);
    }) as typeof http.request;
    // If there is no socket after all.
    queueMicrotask(restore);
  }
}

function toShardSession(session: GatewaySession | undefined) {
  if (session === undefined) return null;
  const { id, url, sequence } = session;
  return { sessionId: id, resumeURL: url, sequence, shardId: 0, shardCount: 1 };
}

type Frame = Dispatch | ConnectionEnd | 'alive' | 'other';

/** What a message means; undefined if it is not valid. */
function readFrame(payload: unknown): Frame | undefined {
  if (!isJsonObject(payload)) return undefined;
  const op = payload['op'];
  if (op === RECONNECT) return 'reconnect';
  if (op === INVALID_SESSION) return payload['d'] === true ? 'reconnect' : 'session_lost';
  if (op === HELLO) return (numberAt(objectAt(payload, 'd'), 'heartbeat_interval') ?? 0) > 0 ? 'other' : undefined;
  if (op === HEARTBEAT_ACK) return 'alive';
  if (op !== DISPATCH) return typeof op === 'number' ? 'other' : undefined;
  const [sequence, name] = [numberAt(payload, 's'), textAt(payload, 't')];
  if (sequence === undefined || name === undefined) return undefined;
  const data = objectAt(payload, 'd') ?? {};
  return name === 'READY' && !isReady(data) ? undefined : { sequence, name, data };
}

/** A session without an id or with another kind of address could not be resumed. */
function isReady(data: JsonObject): boolean {
  return textAt(data, 'session_id') !== undefined && isSocketUrl(textAt(data, 'resume_gateway_url') ?? '');
}

export function isSocketUrl(url: string): boolean {
  return /^wss?:$/.test(URL.parse(url)?.protocol ?? '');
}

/** If the whole process was delayed, messages may be waiting; they are read before the connection counts as silent. */
function watchSilence(ms: number, onSilent: () => void): { touch(): void; stop(): void } {
  let touches = 0;
  const timer = setTimeout(() => {
    const before = touches;
    setTimeout(() => {
      if (touches === before) onSilent();
    }, 1).unref();
  }, ms);
  return {
    touch() {
      touches += 1;
      timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}

function silent(ms: number): ChannelError {
  return new ChannelError('transient', `Discord sent nothing for ${ms / 1000} s.`);
}

function unreadable(error: unknown): ChannelError {
  const reason = error instanceof Error ? error.name : 'unknown error';
  return new ChannelError('transient', `Discord sent a message that could not be read (${reason}).`);
}
