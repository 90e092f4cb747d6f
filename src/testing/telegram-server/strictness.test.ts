import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { createTelegramServer, type TelegramServer, type TelegramUser } from './index.ts';

let server: TelegramServer;
let user: TelegramUser;
beforeAll(async () => {
  server = await createTelegramServer();
  user = server.addUser();
  server.send({ from: user, text: 'hi' });
});
afterAll(() => server.close());

async function call(method: string, parameters: JsonObject): Promise<string> {
  const response = await fetch(`${server.url}/bot${server.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: user.id, ...parameters }),
  });
  const { description = 'ok' } = (await response.json()) as { description?: string };
  return description;
}

const entity = (type: string, offset: number, length: number, more: JsonObject = {}) => ({
  type,
  offset,
  length,
  ...more,
});

describe('the Telegram server', () => {
  it.each<[JsonObject, RegExp]>([
    [{ text: 'a 😀 b', entities: [entity('bold', 2, 2)] }, /^ok/],
    [{ text: 'a 😀 b', entities: [entity('bold', 2, 1)] }, /BOUNDS/],
    [{ text: 'a 😀 b', entities: [entity('bold', 3, 2)] }, /BOUNDS/],
    [{ text: 'ab', entities: [entity('bold', 1, 2)] }, /BOUNDS/],
    [{ text: 'ab', entities: [entity('bold', -1, 2)] }, /BOUNDS/],
    [{ text: 'ab', entities: [entity('bold', 0, 0)] }, /BOUNDS/],
    [{ text: 'ab', entities: [entity('shiny', 0, 1)] }, /unsupported type/],
    [{ text: 'abcd', entities: [entity('bold', 0, 3), entity('italic', 2, 2)] }, /overlap/],
    [{ text: 'abcd', entities: [entity('bold', 0, 3), entity('code', 1, 1)] }, /overlap/],
    [{ text: 'abcd', entities: [entity('blockquote', 0, 4), entity('pre', 1, 1, { language: 'js' })] }, /^ok/],
    [{ text: 'ab', entities: [entity('text_link', 0, 1, { url: 'http://localhost' })] }, /Wrong HTTP URL/],
    [{ text: 'ab', entities: [entity('text_link', 0, 1, { url: 'https://a.b' })] }, /^ok/],
    [{ text: '' }, /empty/],
    [{ text: ' \u200b\n' }, /empty/],
    [{}, /empty/],
    [{ text: '\ud83d' }, /UTF-8/],
    [{ text: 'a', chat_id: 1 }, /chat not found/],
    [{ text: 'a', message_thread_id: 9 }, /thread not found/],
    [{ text: 'a', reply_parameters: { message_id: 999 } }, /replied not found/],
    [{ text: 'a', reply_parameters: { message_id: 999, allow_sending_without_reply: true } }, /^ok/],
    [{ text: 'a', reply_markup: { inline_keyboard: [[{ text: 'b', callback_data: 'é'.repeat(32) }]] } }, /^ok/],
    [
      { text: 'a', reply_markup: { inline_keyboard: [[{ text: 'b', callback_data: 'é'.repeat(33) }]] } },
      /DATA_INVALID/,
    ],
    [{ text: 'a', reply_markup: { inline_keyboard: [[{ text: ' ', callback_data: 'a' }]] } }, /empty text/],
  ])('answers sendMessage %j with %s', async (parameters, expected) => {
    expect(await call('sendMessage', parameters)).toMatch(expected);
  });

  it('limits the length of a text', async () => {
    expect(await call('sendMessage', { text: 'x'.repeat(4096) })).toBe('ok');
    expect(await call('sendMessage', { text: 'x'.repeat(4097) })).toMatch(/too long/);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['editMessageText', { message_id: 12345, text: 'a' }, /message to edit not found/],
    ['editMessageText', { message_id: 1, text: 'a' }, /can't be edited/],
    ['setMessageReaction', { message_id: 1, reaction: [{ type: 'emoji', emoji: '✅' }] }, /REACTION_INVALID/],
    ['setMyCommands', { commands: [{ command: 'a-b', description: 'c' }] }, /COMMAND_INVALID/],
    ['answerCallbackQuery', { callback_query_id: '1' }, /too old/],
    ['sendMessageDraft', { draft_id: 0, text: 'a' }, /non-zero/],
    ['getFile', { file_id: 'x' }, /file_id/],
    ['sendPhoto', {}, /no photo/],
    ['inventedMethod', {}, /Not Found/],
  ])('answers %s %j with %s', async (method, parameters, expected) => {
    expect(await call(method, parameters)).toMatch(expected);
  });
});
