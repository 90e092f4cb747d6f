import { createDiscordServer } from '../../testing/index.ts';
import { startReceiving } from '../conformance/channel-bench.ts';
import { callTimeout, type ChannelBench, describeChannel } from '../conformance/index.ts';
import { createDiscordChannel } from './discord-channel.ts';
import { toDiscordText } from './render.ts';

async function openBench(): Promise<ChannelBench> {
  const server = await createDiscordServer({ heartbeatMs: 40 });
  const user = server.addUser({ name: 'Ada' });
  const channels: ReturnType<typeof createDiscordChannel>[] = [];
  const open: ChannelBench['open'] = (pace) => {
    const channel = createDiscordChannel({
      token: server.token,
      baseUrl: `${server.url}/api`,
      variables: {},
      timeouts: { callMs: callTimeout(pace), transferMs: 200, silenceMs: callTimeout(pace), identifyMs: 10 },
    });
    channels.push(channel);
    return channel;
  };
  // Discord keeps events only for a bot that has connected before.
  const first = startReceiving(open());
  await first.waitForProof();
  await first.waitForProof();
  await first.stop();
  while (server.gateway.isConnected) await new Promise(setImmediate);
  return {
    open,
    start: first.cursor ?? {},
    secret: server.token,
    target: { chatId: user.dmId },
    say: (text) => void server.send({ from: user, text }),
    sayUnknown: () => server.pushEvent('ADDED_LATER', { anything: [1], channel_id: 5 }),
    unacknowledged: () => server.gateway.unacknowledged,
    setDelivery: (faults) => server.setDelivery(faults),
    failReceiving(fault) {
      if (fault.type === 'rate_limit') server.failNext('GET /gateway/bot', fault);
      else server.gateway.fail(fault);
    },
    failSending: (fault) => server.failNext('POST /channels/:id/messages', fault),
    revoke: () => server.revokeToken(),
    texts: () => server.messages(user.dmId).map(({ text }) => text),
    plainText: (markdown) => toDiscordText(markdown).text,
    async close() {
      for (const channel of channels) await channel.close();
      await server.close();
    },
  };
}

describeChannel('discord', openBench);
