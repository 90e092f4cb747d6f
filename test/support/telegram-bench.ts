import { callTimeout, type ChannelBench, createTelegramServer, type TelegramServer } from '../../src/testing/index.ts';
import type { Channel } from '../../src/contracts/index.ts';
import { toTelegramText } from '../../src/platforms/telegram/render.ts';

type Opening = {
  open(server: TelegramServer, callMs: number): Channel;
  faults(server: TelegramServer): Pick<ChannelBench, 'setDelivery' | 'failReceiving'>;
};

/** A fake Telegram with a direct chat, a group and a topic. */
export async function openTelegramBench({ open, faults }: Opening): Promise<ChannelBench> {
  const server = await createTelegramServer();
  const user = server.addUser({ firstName: 'Ada' });
  server.send({ from: user, text: '/start' });
  // Confirms the updates so far, as a bot that has received them.
  await fetch(`${server.url}/bot${server.token}/getUpdates?offset=999999`);
  const channels: Channel[] = [];
  return {
    open(pace) {
      const channel = open(server, callTimeout(pace));
      channels.push(channel);
      return channel;
    },
    secret: server.token,
    target: { chatId: String(user.id) },
    say: (text) => void server.send({ from: user, text }),
    sayUnknown: () => server.pushUpdate({ business_connection: { id: 'a' }, added_later: [1] }),
    unacknowledged: () => server.pendingUpdates,
    ...faults(server),
    failSending: (fault) => server.failNext('sendMessage', fault),
    revoke: () => server.revokeToken(),
    texts: () => server.messages(user.id).map(({ text }) => text),
    plainText: (markdown) => toTelegramText(markdown).text,
    ...directAbilities(server, user),
    ...groups(server, user),
    async close() {
      for (const channel of channels) await channel.close();
      await server.close();
    },
  };
}

type User = ReturnType<TelegramServer['addUser']>;

function directAbilities(server: TelegramServer, user: User) {
  const messages = () => server.messages(user.id);
  const find = (id: string) => messages().find((message) => String(message.id) === id);
  return {
    sentFiles: () =>
      messages().flatMap(({ file, text }) => (file ? [{ name: file.name, bytes: file.bytes, caption: text }] : [])),
    sayFile: (file) => void server.send({ from: user, document: file }),
    buttons: {
      labels: (id) => (find(id)?.buttons ?? []).flat().map(({ text }) => text as string),
      press: (id, data) => server.press({ from: user, messageId: Number(id), data }),
      acknowledgements: () => server.answers.map(({ text }) => text),
    },
    typing: { count: () => server.typing.length },
    reactions: {
      say: (text) => String(server.send({ from: user, text })),
      of: (id) => server.reactions(user.id, Number(id)),
    },
    replies: {
      say: (text, to) => String(server.send({ from: user, text, ...(to !== undefined && { replyTo: Number(to) }) })),
      repliesTo: (id) => find(id)?.replyTo?.toString(),
    },
    drafts: () => server.drafts.map(({ text }) => text),
    commands: () => server.commands.map(({ command }) => command as string),
  } satisfies Partial<ChannelBench>;
}

function groups(server: TelegramServer, user: User) {
  const group = server.addGroup();
  const forum = server.addGroup({ title: 'Forum', hasTopics: true });
  const topic = server.addTopic(forum, 'Deployment');
  const namesake = server.addUser({ firstName: 'Ada' });
  return {
    thread: {
      target: { chatId: String(forum.id), threadId: String(topic) },
      say: (text) => void server.send({ from: user, chatId: forum.id, threadId: topic, text }),
      texts: () => server.messages(forum.id).flatMap(({ threadId, text }) => (threadId === topic ? [text] : [])),
    },
    group: {
      target: { chatId: String(group.id) },
      mention: `@${server.bot.username}`,
      say: (text, by) => void server.send({ from: by === 'namesake' ? namesake : user, chatId: group.id, text }),
      texts: () => server.messages(group.id).map(({ text }) => text),
    },
  } satisfies Partial<ChannelBench>;
}
