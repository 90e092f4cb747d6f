import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { DeliveryFaults, PlatformFault } from '../platform-faults.ts';
import { BOT, type World } from './world.ts';

export type GatewayOptions = {
  world: World;
  token: string;
  isRevoked(): boolean;
  /** How often the bot must send a heartbeat. */
  heartbeatMs: number;
  url(): string;
};

type SentEvent = { s: number; t: string; d: JsonValue; isFromUser: boolean };
type Session = { id: string; events: SentEvent[]; acknowledged: number };
type Connection = { socket: WebSocket; session: Session | undefined; isSilent: boolean };

/** Codes of Discord with which it closes a connection. */
const CLOSE = { unknownOpcode: 4001, decode: 4002, notAuthenticated: 4003, badToken: 4004, twice: 4005, badSeq: 4007 };
const BAD_VERSION = 4012;
const BAD_INTENTS = 4014;
const MESSAGE_CONTENT = 1 << 15;

/** The WebSocket server through which a bot gets events. */
export class Gateway {
  readonly state = { isContentAllowed: true, identifies: 0, resumes: 0 };
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new Set<Connection>();
  readonly #faults: PlatformFault[] = [];
  readonly #webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  #delivery: DeliveryFaults = {};

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  attach(server: Server): void {
    server.on('upgrade', (incoming: IncomingMessage, raw: Socket, head: Buffer) => {
      const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
      const fault = url.pathname === '/gateway' ? this.#faults.shift() : { type: 'status' as const, status: 404 };
      if (fault?.type === 'status') raw.end(`HTTP/1.1 ${fault.status} Refused\r\ncontent-length: 0\r\n\r\n`);
      else if (fault?.type === 'reset') raw.resetAndDestroy();
      else this.#webSockets.handleUpgrade(incoming, raw, head, (socket) => this.#accept(socket, { raw, url, fault }));
    });
  }

  /** An event for the bot, also if it is not connected at the moment. */
  publish(t: string, d: JsonValue, isFromUser = true): void {
    for (const session of this.#sessions.values()) this.#dispatch(session, t, d, isFromUser);
  }

  /** The number of events of users that would be delivered again. */
  get unacknowledged(): number {
    const all = [...this.#sessions.values()].flatMap(({ events, acknowledged }) =>
      events.filter(({ s, isFromUser }) => isFromUser && s > acknowledged),
    );
    return all.length;
  }

  get isConnected(): boolean {
    return [...this.#connections].some(({ session }) => session !== undefined);
  }

  setDelivery(delivery: DeliveryFaults): void {
    this.#delivery = delivery;
  }

  /** The next connection fails; with `silence`, the existing one if there is one. */
  fail(fault: PlatformFault): void {
    if (fault.type !== 'silence' || this.#connections.size === 0) this.#faults.push(fault);
    else for (const connection of this.#connections) silence(connection);
  }

  /** Sends a payload to the connected bot. */
  send(payload: JsonObject): void {
    for (const connection of this.#connections) send(connection, payload);
  }

  disconnect(code: number): void {
    for (const { socket } of this.#connections) socket.close(code);
  }

  /** The sessions so far cannot be resumed. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  #accept(socket: WebSocket, { raw, url, fault }: { raw: Socket; url: URL; fault: PlatformFault | undefined }): void {
    const connection: Connection = { socket, session: undefined, isSilent: false };
    const { searchParams: query } = url;
    if (query.get('v') !== '10' || query.get('encoding') !== 'json' || query.has('compress')) {
      return socket.close(BAD_VERSION);
    }
    this.#connections.add(connection);
    if (fault?.type === 'silence') silence(connection);
    socket.on('close', () => this.#connections.delete(connection));
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      if (fault?.type === 'lost' || fault?.type === 'cut') return breakOff(raw, fault);
      if (!connection.isSilent) this.#receive(connection, data.toString('utf8'));
    });
    const hello = { op: 10, d: { heartbeat_interval: this.#options.heartbeatMs } };
    if (fault?.type === 'drip') return drip(raw, JSON.stringify(hello), fault.everyMs);
    send(connection, hello);
    if (fault?.type === 'malformed') socket.send('{"op":0,"t":"MESSAGE_CREATE","d":{');
  }

  #receive(connection: Connection, text: string): void {
    const payload = parseJson(text);
    if (!isJsonObject(payload)) return connection.socket.close(CLOSE.decode);
    const { op, d } = payload;
    if (op === 1) return this.#acknowledge(connection, d);
    if ((op !== 2 && op !== 6) || !isJsonObject(d)) {
      return connection.socket.close(connection.session === undefined ? CLOSE.notAuthenticated : CLOSE.unknownOpcode);
    }
    if (connection.session !== undefined) return connection.socket.close(CLOSE.twice);
    if (d['token'] !== this.#options.token || this.#options.isRevoked()) {
      return connection.socket.close(CLOSE.badToken);
    }
    if (op === 2) this.#identify(connection, d);
    else this.#resume(connection, d);
  }

  #identify(connection: Connection, { intents, properties }: JsonObject): void {
    if (typeof intents !== 'number' || !isJsonObject(properties)) return connection.socket.close(CLOSE.decode);
    if ((intents & MESSAGE_CONTENT) !== 0 && !this.state.isContentAllowed) return connection.socket.close(BAD_INTENTS);
    this.state.identifies += 1;
    const session: Session = { id: randomUUID(), events: [], acknowledged: 0 };
    // A bot that identifies again replaces its session.
    this.#sessions.clear();
    this.#sessions.set(session.id, session);
    connection.session = session;
    const guilds = this.#options.world.describeGuilds();
    const ready = {
      v: 10,
      user: { ...BOT },
      session_id: session.id,
      resume_gateway_url: `${this.#options.url().replace(/^http/, 'ws')}/gateway`,
      guilds: guilds.map(({ id }) => ({ id: id as string, unavailable: true })),
      application: { id: BOT.id, flags: 0 },
    };
    this.#dispatch(session, 'READY', ready, false);
    for (const guild of guilds) this.#dispatch(session, 'GUILD_CREATE', guild, false);
  }

  #resume(connection: Connection, { session_id: id, seq }: JsonObject): void {
    const session = this.#sessions.get(id as string);
    if (session === undefined) return send(connection, { op: 9, d: false });
    if (typeof seq !== 'number' || seq > (session.events.at(-1)?.s ?? 0)) return connection.socket.close(CLOSE.badSeq);
    this.state.resumes += 1;
    connection.session = session;
    const from = (this.#delivery.lostAcknowledgements ?? 0) > 0 ? Math.min(seq, session.acknowledged) : seq;
    session.acknowledged = Math.max(session.acknowledged, from);
    const missed = session.events.filter(({ s }) => s > from);
    this.#deliver(connection, missed);
    this.#dispatch(session, 'RESUMED', {}, false);
  }

  #acknowledge(connection: Connection, seq: JsonValue | undefined): void {
    const { session } = connection;
    if (session !== undefined && typeof seq === 'number' && seq > session.acknowledged) {
      const lost = this.#delivery.lostAcknowledgements ?? 0;
      if (lost > 0) {
        this.#delivery = { ...this.#delivery, lostAcknowledgements: lost - 1 };
        return send(connection, { op: 7, d: null });
      }
      session.acknowledged = seq;
    }
    send(connection, { op: 11 });
  }

  #dispatch(session: Session, t: string, d: JsonValue, isFromUser: boolean): void {
    const event = { s: (session.events.at(-1)?.s ?? 0) + 1, t, d: structuredClone(d), isFromUser };
    session.events.push(event);
    for (const connection of this.#connections) if (connection.session === session) this.#deliver(connection, [event]);
  }

  #deliver(connection: Connection, events: readonly SentEvent[]): void {
    for (const { s, t, d } of arrange(events, this.#delivery)) send(connection, { op: 0, s, t, d });
  }
}

function send({ socket, isSilent }: Connection, payload: JsonObject): void {
  if (!isSilent) socket.send(JSON.stringify(payload));
}

function arrange(events: readonly SentEvent[], { copies = 1, order = 'normal', random = Math.random }: DeliveryFaults) {
  const all = Array.from({ length: copies }, () => events).flat();
  if (order === 'reversed') return all.reverse();
  if (order === 'normal') return all;
  const keyed = all.map((event) => ({ event, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ event }) => event);
}

/** Neither sends nor reads, not even the request to close the connection. */
function silence(connection: Connection): void {
  connection.isSilent = true;
  connection.socket.pause();
}

/** Ends a connection, with `cut` in the middle of a message. */
function breakOff(raw: Socket, { type }: PlatformFault): void {
  if (type === 'cut') raw.write(frame('{"op":0}'.repeat(20)).subarray(0, 40), () => raw.resetAndDestroy());
  else raw.resetAndDestroy();
}

function drip(raw: Socket, text: string, everyMs: number): void {
  const bytes = frame(text);
  let sent = 0;
  const timer = setInterval(() => {
    raw.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent >= bytes.length) clearInterval(timer);
  }, everyMs);
  timer.unref();
  raw.once('close', () => clearInterval(timer));
}

/** A text message of at least 126 bytes, or less, as a WebSocket frame. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = payload.length < 126 ? [0x81, payload.length] : [0x81, 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from(head), payload]);
}
