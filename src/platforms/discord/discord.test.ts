import { channelRunner } from '../../../test/support/channel-runner.ts';
import { createDiscordServer } from '../../testing/index.ts';
import { startReceiving } from '../../testing/index.ts';
import { callTimeout, type ChannelBench, describeChannel } from '../../testing/index.ts';
import { createDiscordChannel } from './discord-channel.ts';
import { toDiscordText } from './render.ts';

async function openBench(): Promise<ChannelBench> {
  const server = await createDiscordServer({ heartbeatMs: 40 });
  const user = server.addUser({ name: 'Ada' });
  const namesake = server.addUser({ name: 'Ada' });
  const group = server.addChannel();
  const thread = server.addThread(group, 'Deployment');
  const chat = () => server.messages(user.dmId);
  const find = (id: string) => chat().find((message) => message.id === id);
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
    sentFiles: () => chat().flatMap(({ files, text }) => files.map((file) => ({ ...file, caption: text }))),
    sayFile: (file) => void server.send({ from: user, files: [{ ...file, bytes: Buffer.from(file.bytes) }] }),
    buttons: {
      labels: (id) =>
        find(id)
          ?.buttons.flat()
          .map(({ label }) => label as string) ?? [],
      press: (id, data) => void server.press({ from: user, messageId: id, data }),
      acknowledgements: () => server.answers.map(({ text }) => text),
    },
    typing: { count: () => server.typing.length },
    reactions: { say: (text) => server.send({ from: user, text }), of: (id) => server.reactions(user.dmId, id) },
    replies: {
      say: (text, to) => server.send({ from: user, text, ...(to !== undefined && { replyTo: to }) }),
      repliesTo: (id) => find(id)?.replyTo,
    },
    commands: () => server.commands.map(({ name }) => name as string),
    thread: {
      target: { chatId: thread.id, threadId: thread.id },
      say: (text) => void server.send({ from: user, channelId: thread.id, text: `<@${server.bot.id}> ${text}` }),
      texts: () => server.messages(thread.id).map(({ text }) => text),
    },
    group: {
      target: { chatId: group.id },
      mention: `<@${server.bot.id}>`,
      say: (text, by) => void server.send({ from: by === 'namesake' ? namesake : user, channelId: group.id, text }),
      texts: () => server.messages(group.id).map(({ text }) => text),
    },
    async close() {
      for (const channel of channels) await channel.close();
      await server.close();
    },
  };
}

describeChannel('discord', openBench, channelRunner);
