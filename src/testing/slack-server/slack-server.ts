import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject } from '../../base/index.ts';
import { createFaultPlan, type DeliveryFaults, type PlatformFault } from '../platform-faults.ts';
import { createArrivalLog } from '../provider-server/provider-server.ts';
import { listenOnLoopback } from '../telegram-server/listen.ts';
import { createSlackHandler, type SlackCall } from './exchange.ts';
import type { MethodContext } from './methods.ts';
import { endStreamOf } from './stream-methods.ts';
import { createSlackActions, type SlackCommand, type SlackPress, type SlackUserMessage } from './user-actions.ts';
import { createWorld, type SlackChat, type SlackMessage, type SlackUser, type SlackWorkspace } from './world.ts';

export type SlackServerOptions = {
  /** Keep the process alive while the server is open. */
  holdProcess?: boolean;
};

/** A fake Slack on loopback: the Web API and Socket Mode of one app, in one or more workspaces. */
export type SlackServer = AsyncDisposable & {
  /** `http://127.0.0.1:<port>`; the Web API is at `<url>/api/`. */
  readonly url: string;
  readonly appToken: string;
  /** The first workspace. */
  readonly workspace: SlackWorkspace;
  addWorkspace(options?: { botName?: string }): SlackWorkspace;
  addUser(options?: { name?: string; workspace?: SlackWorkspace }): SlackUser;
  /** By default, the bot has joined the channel, and messages can grow there. */
  addChannel(options?: {
    name?: string;
    isMember?: boolean;
    hasStreams?: boolean;
    workspace?: SlackWorkspace;
  }): SlackChat;
  /** The direct chat of a user with the bot. */
  directChat(user: SlackUser): SlackChat;
  /** A user sends a message. Returns its time, which identifies it. */
  send(message: SlackUserMessage): string;
  edit(edit: { from: SlackUser; channel?: SlackChat; ts: string; text: string }): void;
  remove(removal: { from: SlackUser; channel?: SlackChat; ts: string }): void;
  press(press: SlackPress): void;
  /** A user runs a slash command of the app. */
  command(command: SlackCommand): void;
  /** Delivers any event, such as one of an unknown kind. */
  pushEvent(teamId: string, event: JsonObject): void;
  /** Delivers any payload. */
  pushPayload(type: 'events_api' | 'interactive' | 'slash_commands', payload: JsonObject): void;
  /** The messages of the bot in a chat, oldest first. */
  messages(channel: string): SlackMessage[];
  /** Ends a message that is still being written: Slack does so after some minutes, and users can do it. */
  endStream(channel: string, ts: string, by: 'slack' | 'user'): void;
  /** The first messages of the bot in all chats, as soon as there are so many. */
  waitForMessages(count: number): Promise<SlackMessage[]>;
  /** The reactions of the bot to a message. */
  reactions(channel: string, ts: string): string[];
  readonly ephemeral: MethodContext['ephemeral'];
  readonly statuses: MethodContext['statuses'];
  /** All calls so far, also those that failed. `upload` and `download` are those of files. */
  readonly calls: readonly SlackCall[];
  waitForCalls(count: number): Promise<SlackCall[]>;
  /** What the app has not acknowledged. */
  readonly pendingEvents: number;
  /** The number of WebSockets. */
  readonly connections: number;
  /** Asks the app to connect again. `refresh_requested` also closes the connection. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled'): void;
  /** The connections stay open, but nothing is read or sent on them any more. */
  silenceConnections(): void;
  resetConnections(): void;
  /** Sends any text on all connections. */
  sendRaw(text: string): void;
  /** The next calls of a method fail. */
  failNext(method: string, fault: PlatformFault, times?: number): void;
  /** Chooses a fault for every call. */
  setFaults(choose: (call: SlackCall) => PlatformFault | undefined): void;
  setDelivery(faults: DeliveryFaults): void;
  /** Calls with this token fail from now on. */
  revokeToken(token: string): void;
  close(): Promise<void>;
};

export async function createSlackServer(options: SlackServerOptions = {}): Promise<SlackServer> {
  const world = createWorld();
  const workspace = world.addWorkspace('hermes');
  const appToken = 'xapp-1-A0000001-test-app-token-of-the-fake-slack';
  const calls = createArrivalLog<SlackCall>('calls');
  const messages = createArrivalLog<SlackMessage>('messages');
  const faults = createFaultPlan<SlackCall>();
  let isAppRevoked = false;
  let address = '';
  // Loaded here, so that other users of this module do not load the package for WebSockets.
  const { createSocketMode } = await import('./socket-mode.ts');
  const socket = createSocketMode({ isRevoked: () => isAppRevoked });
  const shown: Pick<MethodContext, 'ephemeral' | 'statuses'> = { ephemeral: [], statuses: [] };
  const handle = createSlackHandler({
    world,
    appToken,
    isAppRevoked: () => isAppRevoked,
    calls,
    faults,
    context: { world, onMessage: (message) => messages.add(message), ...shown, url: () => address },
    openConnection: () => `${address.replace(/^http/, 'ws')}${socket.createTicket()}`,
  });
  const listener = (incoming: IncomingMessage, response: ServerResponse) => void handle(incoming, response);
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 }, listener);
  server.on('upgrade', (request, connection, head) => socket.upgrade(request, connection, head));
  const { url, close: stop } = await listenOnLoopback(server, options.holdProcess ?? false);
  address = url;
  const close = () => {
    calls.close();
    messages.close();
    socket.close();
    return stop();
  };
  return {
    url,
    appToken,
    workspace,
    addWorkspace: ({ botName = 'hermes' } = {}) => world.addWorkspace(botName),
    addUser: ({ name = 'ada', workspace: { teamId } = workspace } = {}) => world.addUser(teamId, name),
    addChannel: ({ name = 'general', workspace: { teamId } = workspace, ...can } = {}) =>
      world.addChannel(teamId, name, can),
    directChat: world.directChat,
    ...createSlackActions({ world, socket, url: () => address }),
    pushPayload: socket.deliveries.push,
    messages: (channel) => [...world.findChat(channel).shown.values()],
    endStream: (channel, ts, by) => endStreamOf(world.findChat(channel), ts, by),
    waitForMessages: (count) => messages.waitFor(count),
    reactions(channel, ts) {
      const found = world.findChat(channel).messages.get(ts)?.['reactions'] ?? [];
      return (found as JsonObject[]).map(({ name }) => name as string);
    },
    ...shown,
    calls: calls.entries,
    waitForCalls: (count) => calls.waitFor(count),
    get pendingEvents() {
      return socket.deliveries.pending;
    },
    get connections() {
      return socket.connections;
    },
    disconnect: socket.disconnect,
    silenceConnections: socket.silence,
    resetConnections: socket.reset,
    sendRaw: socket.sendRaw,
    failNext: (method, fault, times = 1) => faults.failNext((call) => call.method === method, fault, times),
    setFaults: (choose) => faults.setFaults(choose),
    setDelivery: socket.deliveries.setFaults,
    revokeToken(token) {
      if (token === appToken) isAppRevoked = true;
      for (const each of world.workspaces) if (each.token === token) each.isRevoked = true;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
