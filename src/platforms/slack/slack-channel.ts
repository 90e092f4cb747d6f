import { systemClock, type Clock } from '../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelFacts,
  type IncomingFile,
  type ReceiveOptions,
} from '../../contracts/index.ts';
import type { NetworkVariables } from '../../util/network/index.ts';
import { createHttpClient, faultOfStatus } from '../http/index.ts';
import { requireSize } from '../file-size.ts';
import { numberAt, objectAt, textAt } from '../json-fields.ts';
import { createMessageActions } from './actions.ts';
import { type AppConnection, createAppConnection } from './app-connection.ts';
import { createLookup } from './lookup.ts';
import { type EventReader, readEnvelope } from './read-event.ts';
import type { SlackBot } from './read-text.ts';
import { MAX_QUEUED, receiveEnvelopes } from './receive.ts';
import { MAX_TEXT, renderSlack } from './render.ts';
import { MAX_UPLOAD, sendMessage } from './send.ts';
import { createSlackApi, type SlackApi } from './slack-api.ts';

export type SlackOptions = {
  /** The bot tokens, one for each workspace. */
  tokens: readonly string[];
  /** The app-level token, with which all workspaces receive. */
  appToken: string;
  /** The URL before the names of methods; the default is Slack's. */
  baseUrl?: string;
  proxy?: { setting: string; url: string };
  /** The environment variables that configure proxy and certificates. */
  variables: NetworkVariables;
  /** Whether Slack shows previews of links. Default: true. */
  linkPreviews?: boolean;
  replyInThread?: boolean;
  requireMention?: boolean;
  freeChannels?: readonly string[];
  /** For tests. */
  times?: Partial<SlackTimes>;
  clock?: Clock;
};

export type SlackTimes = {
  callMs: number;
  uploadMs: number;
  /** How long the rest of a response may take. */
  transferMs: number;
  connectMs: number;
  pingMs: number;
  silenceMs: number;
  overlapMs: number;
  collectMs: number;
};

const TIMES: SlackTimes = {
  callMs: 30_000,
  uploadMs: 180_000,
  transferMs: 60_000,
  connectMs: 30_000,
  pingMs: 10_000,
  silenceMs: 35_000,
  overlapMs: 10_000,
  collectMs: 5,
};
const MAX_DOWNLOAD = 100 * 1024 * 1024;

/** One message a second in each channel, of which a few may come together, and several hundred a minute in a workspace. */
const FACTS: ChannelFacts = {
  platform: 'slack',
  maxText: MAX_TEXT,
  textUnit: 'utf16',
  hasButtons: true,
  streaming: 'stream',
  maxUploadBytes: MAX_UPLOAD,
  maxDownloadBytes: MAX_DOWNLOAD,
  repeats: 'lookup',
  rates: { account: { count: 20, perMs: 5000 }, chat: { count: 3, perMs: 3000 } },
  silenceMs: 90_000,
};

/** The Slack Web API with Socket Mode: one channel for each workspace, over the connection of the app. */
export function createSlackChannels(options: SlackOptions): Channel[] {
  const times = { ...TIMES, ...options.times };
  const client = createHttpClient({ variables: options.variables, ...(options.proxy && { proxy: options.proxy }) });
  const baseUrl = options.baseUrl ?? 'https://slack.com/api/';
  const apiFor = (token: string, setting: string) =>
    createSlackApi({ token, setting, baseUrl, client, timeouts: times });
  const workspaces = options.tokens.map((token) => createWorkspace(apiFor(token, 'SLACK_BOT_TOKEN')));
  const connection = createAppConnection({
    api: apiFor(options.appToken, 'SLACK_APP_TOKEN'),
    baseUrl,
    client,
    times,
    isComplete: () => workspaces.every(({ current }) => current() !== undefined),
  });
  let open = workspaces.length;
  const release = () => {
    open -= 1;
    if (open === 0) client.close();
  };
  return workspaces.map((workspace) => createChannel(workspace, { options, times, connection, release }));
}

type Workspace = {
  api: SlackApi;
  current(): SlackBot | undefined;
  identify(signal: AbortSignal): Promise<SlackBot>;
};

function createWorkspace(api: SlackApi): Workspace {
  let bot: SlackBot | undefined;
  return {
    api,
    current: () => bot,
    async identify(signal) {
      const reply = await api.call('auth.test', {}, { signal, isRepeatable: true });
      const [team, userId] = [textAt(reply, 'team_id'), textAt(reply, 'user_id')];
      if (team === undefined || userId === undefined) {
        throw new ChannelError('transient', 'Slack: the response to auth.test is not valid.');
      }
      bot = { team, userId, botId: textAt(reply, 'bot_id'), name: textAt(reply, 'user') ?? userId };
      return bot;
    },
  };
}

type ChannelParts = {
  options: SlackOptions;
  times: SlackTimes;
  connection: AppConnection;
  release(): void;
};

function createChannel(workspace: Workspace, { options, times, connection, release }: ChannelParts): Channel {
  const { api } = workspace;
  const lookup = createLookup(api);
  const clock = options.clock ?? systemClock;
  let commands: ReadonlyMap<string, string> = new Map();
  let queued = 0;
  const known = async (signal: AbortSignal) => workspace.current() ?? (await workspace.identify(signal));
  return {
    facts: FACTS,
    render: renderSlack,
    async identify(signal) {
      const { team, userId, name } = await workspace.identify(signal);
      return { account: `slack:${team}/${userId}`, name: `@${name}` };
    },
    verifyReceiving: (signal) => connection.verify(signal),
    async receive(receiving) {
      try {
        const bot = await known(receiving.signal);
        const reader = { bot, ...readingRules(options), now: () => clock.now(), findCommand };
        const onQueued = (count: number) => void (queued = count);
        await receiveFrom(connection, { reader, lookup, collectMs: times.collectMs, onQueued }, receiving);
      } catch (error) {
        if (!receiving.signal.aborted) throw error;
      }
    },
    async send(message, { key, mayHaveArrived, signal }) {
      const bot = await known(signal);
      const { linkPreviews = true } = options;
      const id = await sendMessage(api, message, { key, mayHaveArrived, signal, bot, linkPreviews });
      const { chatId, threadId } = message.target;
      if (threadId !== undefined) lookup.joinThread(chatId, threadId);
      return { id };
    },
    ...createMessageActions(api, { known, clock }),
    offerCommands(offered) {
      commands = new Map(offered.map(({ name }) => [name.toLowerCase(), name]));
      return Promise.resolve();
    },
    fetchFile: (file, { maxBytes, signal }) => fetchFile(api, file, { maxBytes, signal }),
    listFills: () => [...lookup.listFills(), { name: 'events to store', used: queued, limit: MAX_QUEUED }],
    close() {
      release();
      return Promise.resolve();
    },
  };

  function findCommand(name: string): string | undefined {
    return commands.get(name);
  }
}

function readingRules({ replyInThread = true, requireMention = true, freeChannels = [] }: SlackOptions) {
  return { replyInThread, requireMention, freeChannels };
}

type Reading = {
  reader: EventReader;
  lookup: ReturnType<typeof createLookup>;
  collectMs: number;
  onQueued(count: number): void;
};

function receiveFrom(
  connection: AppConnection,
  { reader, lookup, collectMs, onQueued }: Reading,
  receiving: ReceiveOptions,
): Promise<void> {
  const { bot } = reader;
  return receiveEnvelopes(
    {
      connection,
      team: bot.team,
      collectMs,
      onQueued,
      read: (envelopes, signal) =>
        lookup.complete(
          envelopes.flatMap((envelope) => readEnvelope(envelope, reader)),
          bot,
          signal,
        ),
    },
    receiving,
  );
}

async function fetchFile(
  api: SlackApi,
  file: IncomingFile,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  const limit = Math.min(maxBytes, MAX_DOWNLOAD);
  requireSize(file.bytes, limit);
  const found = objectAt(await api.call('files.info', { file: file.id }, { signal, isRepeatable: true }), 'file');
  const url = textAt(found, 'url_private_download') ?? textAt(found, 'url_private');
  const bytes = numberAt(found, 'size');
  requireSize(bytes, limit);
  if (url === undefined) throw new ChannelError('not_found', 'Slack does not offer the file for download.');
  const { status, headers, body } = await api.download(url, { maxBytes: limit, signal });
  if (status !== 200) {
    throw new ChannelError(faultOfStatus(status, true), `Slack: the download of a file failed with HTTP ${status}.`);
  }
  // Without the scope, Slack answers with its login page.
  const isPage = /^text\/html\b/.test(String(headers['content-type']));
  if (!isPage || textAt(found, 'mimetype') === 'text/html') return body;
  throw new ChannelError('forbidden', 'Slack did not allow the download of a file.', {
    hint: 'Add the scope files:read to the Slack app, and install it again.',
  });
}
