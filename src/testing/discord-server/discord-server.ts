import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { createFaultPlan, type DeliveryFaults, type PlatformFault } from '../platform-faults.ts';
import { createArrivalLog } from '../provider-server/provider-server.ts';
import { listenOnLoopback } from '../telegram-server/listen.ts';
import { createRequestHandler, createRouteLimits, type DiscordCall } from './exchange.ts';
import { Gateway } from './gateway.ts';
import type { InteractionAnswer, RouteContext } from './routes.ts';
import {
  createUserActions,
  type DiscordCommandCall,
  type DiscordPress,
  type DiscordUserMessage,
} from './user-actions.ts';
import { BOT, createWorld, type World, type DiscordChannel, type DiscordMessage, type DiscordUser } from './world.ts';

export type DiscordServerOptions = {
  /** Keep the process alive while the server is open. */
  holdProcess?: boolean;
  /** How often the bot must send a heartbeat. Default: 41,250 ms. */
  heartbeatMs?: number;
};

/** A fake Discord: its HTTP API and its gateway on loopback, for one bot. */
export type DiscordServer = AsyncDisposable & {
  /** `http://127.0.0.1:<port>`; the API is at `<url>/api`. */
  readonly url: string;
  readonly token: string;
  readonly bot: { id: string; username: string };
  addUser(options?: { name?: string; isBot?: boolean }): DiscordUser;
  /** Adds a guild with one text channel. */
  addChannel(options?: { guild?: string; name?: string; topic?: string }): DiscordChannel;
  addThread(parent: DiscordChannel, name: string): DiscordChannel;
  /** A user sends a message. Returns its id. */
  send(message: DiscordUserMessage): string;
  edit(from: DiscordUser, messageId: string, text: string, channelId?: string): void;
  remove(from: DiscordUser, messageId: string, channelId?: string): void;
  /** A user presses a button. Returns the id of the interaction. */
  press(press: DiscordPress): string;
  /** A user runs a slash command. Returns the id of the interaction. */
  command(call: DiscordCommandCall): string;
  /** The bot may not use a channel any more. */
  forbid(channelId: string): void;
  /** Adds any event, such as one of an unknown kind. */
  pushEvent(name: string, data: JsonValue): void;
  /** The messages of the bot in a channel, oldest first. */
  messages(channelId: string): DiscordMessage[];
  /** The first messages of the bot in all channels, as soon as there are so many. */
  waitForMessages(count: number): Promise<DiscordMessage[]>;
  /** The reactions of the bot to a message. */
  reactions(channelId: string, messageId: string): string[];
  /** The answers to interactions. */
  readonly answers: readonly InteractionAnswer[];
  /** The channels in which the bot has shown that it is typing. */
  readonly typing: readonly string[];
  readonly commands: readonly JsonObject[];
  /** All HTTP calls so far, also those that failed. */
  readonly calls: readonly DiscordCall[];
  waitForCalls(count: number): Promise<DiscordCall[]>;
  readonly gateway: Pick<
    Gateway,
    'unacknowledged' | 'isConnected' | 'state' | 'fail' | 'send' | 'disconnect' | 'forgetSessions'
  >;
  setDelivery(faults: DeliveryFaults): void;
  /** The next calls of a route, such as `POST /channels/:id/messages`, fail. */
  failNext(route: string, fault: PlatformFault, times?: number): void;
  /** Limits the calls of a route for each channel, with the headers of Discord. */
  limit(route: string, limit: { count: number; perSeconds: number }): void;
  /** The number of times that the bot may still start a session. */
  setRemainingStarts(count: number): void;
  /** Every call fails with 401 from now on, and the gateway refuses the bot. */
  revokeToken(): void;
  close(): Promise<void>;
};

const TOKEN = 'MTEwMDAwMDAwMDAwMDAwMDAwMQ.GfakeA.a_test_token_of_the_fake_discord_0123456789';
const HEARTBEAT_MS = 41_250;

export async function createDiscordServer(options: DiscordServerOptions = {}): Promise<DiscordServer> {
  const world = createWorld();
  const calls = createArrivalLog<DiscordCall>('calls');
  const messages = createArrivalLog<DiscordMessage>('messages');
  const faults = createFaultPlan<DiscordCall>();
  const limits = createRouteLimits();
  const state = { isRevoked: false, starts: 1000 };
  const isRevoked = () => state.isRevoked;
  const gateway = new Gateway({
    world,
    token: TOKEN,
    isRevoked,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    url: () => context.url,
  });
  const context: RouteContext = {
    world,
    url: '',
    onMessage(message, raw) {
      messages.add(message);
      // A bot gets its own messages, too.
      gateway.publish('MESSAGE_CREATE', raw, false);
    },
    typing: [],
    commands: [],
    answers: [],
    interactions: new Map(),
    nonces: new Map(),
    remainingStarts: () => state.starts,
  };
  const handle = createRequestHandler({ token: TOKEN, isRevoked, calls, faults, context, limits });
  const listener = (incoming: IncomingMessage, response: ServerResponse) => void handle(incoming, response);
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 }, listener);
  gateway.attach(server);
  const { url, close: stop } = await listenOnLoopback(server, options.holdProcess ?? false);
  context.url = url;
  const close = () => {
    calls.close();
    messages.close();
    return stop();
  };
  return {
    url,
    token: TOKEN,
    bot: { id: BOT.id, username: BOT.username },
    addUser: (user = {}) => world.addUser(user),
    ...createPlaces(world, gateway),
    ...createUserActions({ context, gateway }),
    pushEvent: (name, data) => gateway.publish(name, data),
    messages: (channelId) => [...world.find(channelId).sent.values()],
    waitForMessages: (count) => messages.waitFor(count),
    reactions: (channelId, messageId) => reactionsOf(world.find(channelId).raw.get(messageId)),
    answers: context.answers,
    typing: context.typing,
    commands: context.commands,
    calls: calls.entries,
    waitForCalls: (count) => calls.waitFor(count),
    gateway,
    setDelivery: (delivery) => gateway.setDelivery(delivery),
    failNext: (route, fault, times = 1) => faults.failNext((call) => call.route === route, fault, times),
    limit: (route, limit) => limits.set(route, limit),
    setRemainingStarts(count) {
      state.starts = count;
    },
    revokeToken() {
      state.isRevoked = true;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Adds servers, channels and threads, and tells the bot. */
function createPlaces(world: World, gateway: Gateway) {
  const guilds = new Map<string, string>();
  return {
    addChannel({ guild = 'Team', ...channel }: { guild?: string; name?: string; topic?: string } = {}) {
      const known = guilds.get(guild);
      const guildId = known ?? world.addGuild(guild);
      guilds.set(guild, guildId);
      const made = world.addChannel({ guildId, ...channel });
      const { object } = world.find(made.id);
      const created = { id: guildId, name: guild, channels: [object], threads: [] };
      if (known === undefined) gateway.publish('GUILD_CREATE', created, false);
      else gateway.publish('CHANNEL_CREATE', object, false);
      return made;
    },
    addThread(parent: DiscordChannel, name: string) {
      const made = world.addThread(parent, name);
      gateway.publish('THREAD_CREATE', world.find(made.id).object, false);
      return made;
    },
    forbid(channelId: string) {
      world.find(channelId).state = 'forbidden';
    },
  };
}

function reactionsOf(raw: JsonObject | undefined): string[] {
  const reactions = (raw?.['reactions'] ?? []) as { emoji: { name: string }; me: boolean }[];
  return reactions.filter(({ me }) => me).map(({ emoji }) => emoji.name);
}
