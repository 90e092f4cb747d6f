import fc from 'fast-check';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HermesError } from '../../../base/index.ts';
import { openStore } from '../../../runtime/open-store.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import { type DirectoryEntry, readDirectory, writeDirectory } from './channel-directory.ts';
import { findTarget } from './find-target.ts';

const entry = (chatId: string, name: string, more: Partial<DirectoryEntry> = {}): DirectoryEntry => ({
  platform: 'telegram',
  chatId,
  name,
  type: 'group',
  ...more,
});

const DIRECTORY = [
  entry('-1', 'Builds'),
  entry('-2', 'Builders'),
  entry('-1', 'Builds / Ideas', { threadId: '7' }),
  entry('C0123456789', 'general', { platform: 'slack', guild: 'Acme' }),
  entry('C0123456780', 'general', { platform: 'slack', guild: 'Other' }),
  entry('5', 'Ada', { type: 'dm' }),
];
const SOURCES = {
  platforms: ['telegram', 'slack'],
  homes: new Map([['telegram', '5']]),
  directory: DIRECTORY,
};

it.each([
  ['telegram', { chatId: '5', name: 'Ada' }],
  [' Telegram ', { chatId: '5', name: 'Ada' }],
  ['telegram:-1', { chatId: '-1', name: 'Builds' }],
  ['telegram:-1:7', { chatId: '-1', threadId: '7', name: 'Builds / Ideas' }],
  ['telegram:-1:9', { chatId: '-1', threadId: '9', name: 'Builds' }],
  ['telegram:99', { chatId: '99', name: '99' }],
  ['telegram:#builds', { chatId: '-1', name: 'Builds' }],
  ['telegram:ada', { chatId: '5', name: 'Ada' }],
  ['telegram:builders', { chatId: '-2', name: 'Builders' }],
  ['telegram:#ad', { chatId: '5', name: 'Ada' }],
  ['slack:#acme/general', { chatId: 'C0123456789', name: 'general' }],
  ['slack:C0123456780', { chatId: 'C0123456780', name: 'general' }],
  ['slack:C9999999999:1700000000.123', { chatId: 'C9999999999', threadId: '1700000000.123', name: 'C9999999999' }],
])('finds %s', (target, expected) => {
  const [platform] = target.trim().toLowerCase().split(':');
  expect(findTarget(target, SOURCES)).toEqual({ platform, ...expected });
});

it.each([
  ['slack', 'slack has no home channel.'],
  ['discord:1', '"discord" is not a configured messaging platform.'],
  ['', 'is not a configured messaging platform.'],
  ['telegram:#buil', 'Several chats on telegram match "#buil".'],
  ['slack:#general', 'Several chats on slack match "#general".'],
  ['telegram:#adam', 'No chat on telegram is called "#adam".'],
])('explains why there is no %s', (target, message) => {
  expect(() => findTarget(target, SOURCES)).toThrow(message);
});

it('finds a chat of the platform, or throws an error for people, for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `telegram:${text}`),
      ),
      (text) => {
        const result = attempt(() => findTarget(text, SOURCES));
        expect(result instanceof HermesError || SOURCES.platforms.includes(result.platform)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

function attempt<Value>(task: () => Value): Value | HermesError {
  try {
    return task();
  } catch (thrown) {
    if (thrown instanceof HermesError) return thrown;
    throw thrown;
  }
}

async function openDirectory() {
  const home = await createTemporaryHome();
  const store = await openStore({ home: home.path });
  onTestFinished(async () => {
    await store.close();
    await home.remove();
  });
  return { home: home.path, file: join(home.path, 'channel_directory.json'), store: await store.openGatewayStore() };
}

it('keeps the directory in the format of the original, with its entries', async () => {
  const { home, file, store } = await openDirectory();
  const source = { platform: 'telegram', chatType: 'group', chatId: '-9', chatName: 'Team', threadId: '3' };
  const chat = { key: 'k', account: 'telegram:1', source };
  const message = { externalId: '1', kind: 'message' as const, author: '7', body: {}, sentAt: 1, receivedAt: 1 };
  await store.receive([{ chat, ...message }]);
  const original = { id: '42', name: 'ops', guild: 'Acme', type: 'channel' };
  await writeFile(file, JSON.stringify({ updated_at: 'x', platforms: { discord: [original, null, 7], slack: 'no' } }));
  await writeDirectory(home, await readDirectory(home, store), { now: 0, platforms: ['telegram', 'signal'] });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    updated_at: '1970-01-01T00:00:00.000Z',
    platforms: {
      telegram: [{ id: '-9:3', name: 'Team / topic 3', type: 'group', thread_id: '3' }],
      signal: [],
      discord: [original],
    },
  });
  expect(await readDirectory(home, store)).toEqual([
    { platform: 'telegram', chatId: '-9', threadId: '3', name: 'Team / topic 3', type: 'group' },
    { platform: 'discord', chatId: '42', name: 'ops', guild: 'Acme', type: 'channel' },
  ]);
});

it('reads any file', async () => {
  const { home, file, store } = await openDirectory();
  const values = fc.oneof(
    fc.json(),
    fc.string(),
    fc.json().map((value) => `{"platforms":{"telegram":[${value}]}}`),
  );
  await fc.assert(
    fc.asyncProperty(values, async (text) => {
      await writeFile(file, text);
      for (const { chatId, name } of await readDirectory(home, store))
        expect([typeof chatId, typeof name]).toEqual(['string', 'string']);
    }),
    { numRuns: 100 },
  );
});
