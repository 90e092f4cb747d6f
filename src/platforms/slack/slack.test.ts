import type { Channel } from '../../contracts/index.ts';
import { createSlackServer } from '../../testing/index.ts';
import { callTimeout, type ChannelBench, describeChannel } from '../conformance/index.ts';
import { toSlackText } from './render.ts';
import { createSlackChannels } from './slack-channel.ts';

async function openBench(): Promise<ChannelBench> {
  const server = await createSlackServer();
  const { token, teamId } = server.workspace;
  const user = server.addUser({ name: 'Ada' });
  const { id } = server.directChat(user);
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
    async close() {
      for (const channel of channels) await channel.close();
      await server.close();
    },
  };
}

describeChannel('slack', openBench);
