import { channelRunner } from '../../../test/support/channel-runner.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Channel } from '../../contracts/index.ts';
import {
  callTimeout,
  type ChannelBench,
  createSlackServer,
  describeChannel,
  type SlackServer,
} from '../../testing/index.ts';
import { toSlackText } from './render.ts';
import { createSlackChannels } from './slack-channel.ts';

async function openBench(): Promise<ChannelBench> {
  const server = await createSlackServer();
  const { token, teamId, mention } = server.workspace;
  const user = server.addUser({ name: 'Ada' });
  const { id } = server.directChat(user);
  const namesake = server.addUser({ name: 'Ada' });
  const group = server.addChannel();
  const other = server.addChannel({ name: 'deployment' });
  const threadTs = await startThread(server, other.id);
  const chat = () => server.messages(id);
  const find = (ts: string) => chat().find((message) => message.ts === ts);
  const thread = { chatId: other.id, threadId: threadTs };
  const inThread = () => server.messages(other.id).filter((message) => message.threadTs === threadTs);
  const channels: Channel[] = [];
  return {
    open(pace) {
      const [channel] = createSlackChannels({
        tokens: [token],
        appToken: server.appToken,
        baseUrl: `${server.url}/api/`,
        variables: {},
        times: {
          callMs: callTimeout(pace),
          transferMs: 200,
          connectMs: 10_000,
          pingMs: 50,
          silenceMs: callTimeout(pace),
        },
      });
      channels.push(channel as Channel);
      return channel as Channel;
    },
    secret: token,
    target: { chatId: id },
    say: (text) => void server.send({ from: user, text }),
    sayUnknown: () => server.pushEvent(teamId, { type: 'added_later', list: [1] }),
    unacknowledged: () => server.pendingEvents,
    setDelivery: (faults) => server.setDelivery(faults),
    failReceiving: (fault) => server.failNext('apps.connections.open', fault),
    failSending: (fault) => server.failNext('chat.postMessage', fault),
    revoke() {
      server.revokeToken(token);
      server.revokeToken(server.appToken);
    },
    texts: () => server.messages(id).map(({ text }) => text),
    plainText: (markdown) => toSlackText(markdown).text,
    sentFiles: () => chat().flatMap(({ file, text }) => (file ? { ...file, caption: text } : [])),
    sayFile: (file) => void server.send({ from: user, files: [file] }),
    buttons: {
      labels: (ts) => find(ts)?.buttons.flat().map(labelOf) ?? [],
      press: (ts, value) => server.press({ from: user, ts, value }),
      acknowledgements: () => server.ephemeral.map(({ text }) => text),
    },
    typing: { target: thread, count: () => server.statuses.length },
    reactions: { say: (text) => server.send({ from: user, text }), of: (ts) => server.reactions(id, ts) },
    thread: {
      target: thread,
      say: (text) => void server.send({ from: user, channel: other, threadTs, text: `${mention} ${text}` }),
      texts: () => inThread().map(({ text }) => text),
    },
    streams: {
      target: thread,
      recipientId: user.id,
      isOpen: (ts) => inThread().some((message) => message.ts === ts && message.isStreaming),
      texts: () => inThread().map(({ text }) => text),
    },
    group: {
      target: { chatId: group.id },
      mention,
      say: (text, by) => void server.send({ from: by === 'namesake' ? namesake : user, channel: group, text }),
      texts: () => server.messages(group.id).map(({ text }) => text),
    },
    async close() {
      for (const channel of channels) await channel.close();
      await server.close();
    },
  };
}

/** The bot starts a thread, because a message of a user would be delivered as an event. */
async function startThread(server: SlackServer, channel: string): Promise<string> {
  await fetch(`${server.url}/api/chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.workspace.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel, text: 'Deployment' }),
  });
  return server.messages(channel)[0]?.ts as string;
}

const labelOf = ({ text }: JsonObject) => (text as JsonObject)['text'] as string;

describeChannel('slack', openBench, channelRunner);
