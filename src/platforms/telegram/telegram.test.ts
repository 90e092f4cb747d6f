import { createTelegramServer } from '../../testing/index.ts';
import { callTimeout, type ChannelBench, describeChannel } from '../conformance/index.ts';
import { createTelegramChannel } from './telegram-channel.ts';
import { toTelegramText } from './render.ts';

async function openBench(): Promise<ChannelBench> {
  const server = await createTelegramServer();
  const user = server.addUser({ firstName: 'Ada' });
  server.send({ from: user, text: '/start' });
  await drain(server);
  const channels: ReturnType<typeof createTelegramChannel>[] = [];
  return {
    open(pace) {
      const channel = createTelegramChannel({
        token: server.token,
        baseUrl: `${server.url}/bot`,
        fileBaseUrl: `${server.url}/file/bot`,
        variables: {},
        timeouts: { pollMs: 100, graceMs: callTimeout(pace), callMs: callTimeout(pace), transferMs: 200 },
      });
      channels.push(channel);
      return channel;
    },
    secret: server.token,
    target: { chatId: String(user.id) },
    say: (text) => void server.send({ from: user, text }),
    sayUnknown: () => server.pushUpdate({ business_connection: { id: 'a' }, added_later: [1] }),
    unacknowledged: () => server.pendingUpdates,
    setDelivery: (faults) => server.setDelivery(faults),
    failReceiving: (fault) => server.failNext('getUpdates', fault),
    failSending: (fault) => server.failNext('sendMessage', fault),
    revoke: () => server.revokeToken(),
    texts: () => server.messages(user.id).map(({ text }) => text),
    plainText: (markdown) => toTelegramText(markdown).text,
    async close() {
      for (const channel of channels) await channel.close();
      await server.close();
    },
  };
}

/** Confirms the updates so far, as a bot that has received them. */
async function drain(server: Awaited<ReturnType<typeof createTelegramServer>>): Promise<void> {
  await fetch(`${server.url}/bot${server.token}/getUpdates?offset=999999`);
}

describeChannel('telegram', openBench);
