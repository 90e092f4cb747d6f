import type { JsonObject } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import type { HttpClient } from '../http/index.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';
import { isSlackHost, type SlackApi } from './slack-api.ts';
import { openSocket, type SlackSocket, type SocketHandlers, type SocketTimes } from './socket.ts';

/** What arrived on a socket, with the function that acknowledges it. */
export type Envelope = { type: string; payload: JsonObject; acknowledge(): void };

/** A workspace that receives. */
export type Receiver = {
  team: string;
  /** Takes an envelope, which it acknowledges when its events are stored. */
  onEnvelope(envelope: Envelope): void;
  onAlive(): void;
};

/**
 * The connection of a Slack app. All workspaces of the app share it: Slack sends each event to one of the connections of
 * an app, whatever workspace it belongs to.
 */
export interface AppConnection {
  /** Receives until the signal is aborted. Throws `ChannelError` if the connection fails. */
  receive(receiver: Receiver, signal: AbortSignal): Promise<void>;
  /** Verifies the app-level token, without a connection that could receive events. */
  verify(signal: AbortSignal): Promise<void>;
}

export type AppConnectionOptions = {
  /** The Web API with the app-level token. */
  api: SlackApi;
  baseUrl: string;
  client: HttpClient;
  times: SocketTimes & {
    /** How long the old socket stays open after Slack asked for a new one. */
    overlapMs: number;
  };
  /** Whether every workspace has said which one it is, so that an event of another one belongs to nobody. */
  isComplete(): boolean;
};

type Member = { receiver: Receiver; fail(error: unknown): void };

export function createAppConnection(options: AppConnectionOptions): AppConnection {
  const members = new Set<Member>();
  let stopping: AbortController | undefined;

  const handlers: SocketHandlers = {
    onEnvelope(message, acknowledge) {
      const payload = objectAt(message, 'payload') ?? {};
      const teams = teamsOf(payload);
      const found = teams.flatMap((team) => [...members].filter(({ receiver }) => receiver.team === team));
      if (found[0] !== undefined) {
        found[0].receiver.onEnvelope({ type: textAt(message, 'type') ?? '', payload, acknowledge });
      } else if (teams.length === 0 || options.isComplete()) acknowledge();
      // Otherwise Slack delivers it again, and the workspace may be ready then.
    },
    onAlive() {
      for (const { receiver } of members) receiver.onAlive();
    },
  };

  function start(): void {
    const own = new AbortController();
    stopping = own;
    keepOpen(options, handlers, own.signal).catch((error: unknown) => {
      own.abort();
      if (stopping !== own) return;
      stopping = undefined;
      for (const member of members) member.fail(error);
    });
  }

  return {
    verify: async (signal) => void (await requestUrl(options, signal)),
    async receive(receiver, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const member = { receiver, fail: reject };
      const onAbort = () => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) return;
      members.add(member);
      if (stopping === undefined) start();
      try {
        await promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        members.delete(member);
        if (members.size === 0) {
          stopping?.abort();
          stopping = undefined;
        }
      }
    },
  };
}

/** Keeps one socket open, and replaces it when Slack asks for that. */
async function keepOpen(options: AppConnectionOptions, handlers: SocketHandlers, signal: AbortSignal): Promise<never> {
  let socket = await connect(options, handlers, signal);
  try {
    for (;;) {
      await socket.ended;
      const old = socket;
      try {
        socket = await connect(options, handlers, signal);
      } finally {
        // What is still being stored is acknowledged on the old socket.
        setTimeout(() => old.terminate(), options.times.overlapMs).unref();
      }
    }
  } finally {
    socket.terminate();
  }
}

async function connect(
  options: AppConnectionOptions,
  handlers: SocketHandlers,
  signal: AbortSignal,
): Promise<SlackSocket> {
  const url = await requestUrl(options, signal);
  const agent = await options.client.agentFor(url);
  return openSocket(url, { ...options.times, agent, signal }, handlers);
}

async function requestUrl({ api, baseUrl }: AppConnectionOptions, signal: AbortSignal): Promise<string> {
  const reply = await api.call('apps.connections.open', {}, { signal, isRepeatable: true }).catch((error: unknown) => {
    // No later attempt can succeed with this token.
    if (!(error instanceof ChannelError) || !['forbidden', 'rejected'].includes(error.fault)) throw error;
    throw new ChannelError('fatal', error.message, {
      hint: 'SLACK_APP_TOKEN must be an app-level token with the scope connections:write.',
    });
  });
  const url = textAt(reply, 'url') ?? '';
  if (/^wss?:/.test(url) && isSlackHost(url, baseUrl)) return url;
  throw new ChannelError('transient', 'Slack: the response to apps.connections.open is not valid.');
}

/** The workspaces that a payload may belong to, the most certain one first. */
function teamsOf(payload: JsonObject): string[] {
  const authorized = listAt(payload, 'authorizations').map((authorization) => textAt(authorization, 'team_id'));
  const teams = [
    ...authorized,
    textAt(payload, 'context_team_id'),
    textAt(payload, 'team_id'),
    textAt(objectAt(payload, 'team'), 'id'),
    textAt(objectAt(payload, 'user'), 'team_id'),
  ];
  return [...new Set(teams.filter((team) => team !== undefined))];
}
