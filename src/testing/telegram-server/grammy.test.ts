import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bot, GrammyError, InputFile, webhookCallback } from 'grammy';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTelegramServer, type TelegramServer } from './telegram-server.ts';

let server: TelegramServer;
let bot: Bot;

beforeEach(async () => {
  server = await createTelegramServer();
  bot = new Bot(server.token, { client: { apiRoot: server.url } });
});

afterEach(async () => {
  if (bot.isRunning()) await bot.stop();
  await server.close();
});

const PNG = Buffer.from('\x89PNG\r\n\x1a\n pixels', 'latin1');

describe('grammY as a client of the Telegram server', () => {
  it('receives messages by long polling and answers them', async () => {
    const user = server.addUser({ firstName: 'Ada', username: 'ada' });
    bot.command('start', (context) => context.reply('Welcome'));
    bot.on('message:text', (context) =>
      context.reply(`${context.from.first_name} said ${context.message.text}`, {
        entities: [{ type: 'bold', offset: 0, length: 3 }],
        reply_parameters: { message_id: context.message.message_id },
        reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
      }),
    );
    bot.on('callback_query:data', async (context) => {
      await context.answerCallbackQuery(`chose ${context.callbackQuery.data}`);
      await context.editMessageText('Done');
    });
    void bot.start();
    server.send({ from: user, text: '/start' });
    const sent = server.send({ from: user, text: 'hello 😀' });
    const [welcome, answer] = await server.waitForMessages(2);
    expect(welcome?.text).toBe('Welcome');
    expect(answer).toMatchObject({ text: 'Ada said hello 😀', replyTo: sent, entities: [{ type: 'bold' }] });
    const query = server.press({ from: user, messageId: answer?.id ?? 0, data: 'yes' });
    for (let count = server.calls.length; !server.messages(user.id)[1]?.isEdited; count += 1)
      await server.waitForCalls(count + 1);
    expect(server.answers).toEqual([{ id: query, text: 'chose yes' }]);
    expect(server.messages(user.id)[1]).toMatchObject({ text: 'Done', buttons: [] });
    await bot.stop();
    expect(server.pendingUpdates).toBe(0);
  });

  it('receives messages by webhook with a secret, each until it was accepted', async () => {
    const user = server.addUser({ firstName: 'Ada' });
    bot.on('message:text', (context) => context.reply(`You said ${context.message.text}`));
    const handle = webhookCallback(bot, 'http', { secretToken: 'a-secret' });
    let failures = 1;
    const listener = createServer((request, response) => {
      if ((failures -= 1) >= 0) response.writeHead(502).end();
      else void handle(request, response);
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void listener.close());
    server.proxyWebhook(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
    await expect(bot.api.setWebhook('http://bot.example/')).rejects.toThrow('HTTPS URL');
    await bot.api.setWebhook('https://bot.example/hook', { secret_token: 'a-secret' });
    server.send({ from: user, text: 'one' });
    server.send({ from: user, text: 'two' });
    const answers = await server.waitForMessages(2);
    expect(answers.map(({ text }) => text)).toEqual(['You said one', 'You said two']);
    expect(server.webhookStatuses.slice(0, 2)).toEqual([502, 200]);
    expect(await bot.api.getWebhookInfo()).toMatchObject({ url: 'https://bot.example/hook' });
    await bot.api.deleteWebhook();
    expect(await bot.api.getWebhookInfo()).toMatchObject({ url: '' });
  });

  it('sends and receives files', async () => {
    const user = server.addUser();
    server.send({ from: user, photo: { bytes: PNG, name: 'a.png' }, caption: 'look' });
    const [update] = await bot.api.getUpdates();
    const photo = update?.message?.photo?.at(-1);
    const file = await bot.api.getFile(photo?.file_id ?? '');
    const response = await fetch(`${server.url}/file/bot${server.token}/${file.file_path}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
    await bot.api.sendDocument(user.id, new InputFile(Buffer.from('text'), 'a.txt'), { caption: 'the file' });
    await bot.api.sendPhoto(user.id, new InputFile(PNG, 'b.png'));
    await bot.api.sendVoice(user.id, new InputFile(Buffer.from('OggS'), 'c.ogg'));
    expect(server.messages(user.id)).toMatchObject([
      { text: 'the file', file: { kind: 'document', name: 'a.txt', bytes: Buffer.from('text') } },
      { file: { kind: 'photo', bytes: PNG } },
      { file: { kind: 'voice' } },
    ]);
  });

  it('sends to groups and topics, reacts, types, edits and deletes', async () => {
    const group = server.addGroup({ title: 'Forum', hasTopics: true });
    const topic = server.addTopic(group, 'Ideas');
    const { message_id } = await bot.api.sendMessage(group.id, 'one', { message_thread_id: topic });
    await bot.api.sendChatAction(group.id, 'typing', { message_thread_id: topic });
    await bot.api.setMessageReaction(group.id, message_id, [{ type: 'emoji', emoji: '👍' }]);
    await bot.api.editMessageText(group.id, message_id, 'two');
    expect(server.messages(group.id)).toMatchObject([{ text: 'two', threadId: topic }]);
    await bot.api.deleteMessage(group.id, message_id);
    expect(server.messages(group.id)).toEqual([]);
    expect(server.typing).toEqual([group.id]);
    await bot.api.setMyCommands([{ command: 'help', description: 'Show help' }]);
    expect(await bot.api.getMyCommands()).toEqual([{ command: 'help', description: 'Show help' }]);
  });

  it('reports errors in the format of Telegram', async () => {
    const user = server.addUser();
    const failure = (call: Promise<unknown>) => call.then(String, (error: unknown) => error as GrammyError);
    expect(await failure(bot.api.sendMessage(user.id, 'hi'))).toMatchObject({ error_code: 403 });
    expect(await failure(bot.api.sendMessage(5, 'hi'))).toMatchObject({ description: 'Bad Request: chat not found' });
    server.failNext('getMe', { type: 'rate_limit', retryAfter: 4 });
    expect(await failure(bot.api.getMe())).toMatchObject({ error_code: 429, parameters: { retry_after: 4 } });
    const group = server.addGroup();
    const movedTo = server.upgrade(group);
    expect(await failure(bot.api.sendMessage(group.id, 'hi'))).toMatchObject({
      parameters: { migrate_to_chat_id: movedTo },
    });
    server.revokeToken();
    const error = await failure(bot.api.getMe());
    expect(error).toBeInstanceOf(GrammyError);
    expect(error).toMatchObject({ error_code: 401, description: 'Unauthorized' });
  });

  it('ends the older of two polls', async () => {
    const first = bot.api.getUpdates({ timeout: 30 }).catch((error: unknown) => error);
    for (let waiting = true; waiting; ) {
      const second = bot.api.getUpdates({ timeout: 0 });
      await second;
      waiting = (await Promise.race([first, Promise.resolve('waiting')])) === 'waiting';
    }
    expect(await first).toMatchObject({ error_code: 409 });
  });
});
