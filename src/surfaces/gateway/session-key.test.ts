import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { ChatSource } from '../../contracts/index.ts';
import { createPairing } from './people/pairing.ts';
import { isShared, sessionKey, type SessionKeyRules } from './session-key.ts';

const USUAL = { groupPerUser: true, threadPerUser: false };
const EACH = { groupPerUser: true, threadPerUser: true };
const NONE = { groupPerUser: false, threadPerUser: false };

const on = (platform: string, chatType: ChatSource['chatType'], more: Partial<ChatSource>): ChatSource => ({
  platform,
  chatType,
  chatId: '',
  ...more,
});

/** Platform, type, chat, thread, user, second id of the user; rules; the key that the original builds. */
const SOURCES: readonly (readonly [string, SessionKeyRules, string])[] = [
  ['telegram dm 7 - 7 -', USUAL, 'agent:main:telegram:dm:7'],
  ['telegram dm 7 - 7 -', EACH, 'agent:main:telegram:dm:7'],
  ['telegram dm 7 - 8 -', NONE, 'agent:main:telegram:dm:7'],
  ['telegram dm 7 3 7 -', USUAL, 'agent:main:telegram:dm:7:3'],
  ['telegram dm 7 3 7 -', NONE, 'agent:main:telegram:dm:7:3'],
  ['telegram group -100123 - 7 -', USUAL, 'agent:main:telegram:group:-100123:7'],
  ['telegram group -100123 - 7 -', EACH, 'agent:main:telegram:group:-100123:7'],
  ['telegram group -100123 - 7 -', NONE, 'agent:main:telegram:group:-100123'],
  ['telegram group -100123 5 7 -', USUAL, 'agent:main:telegram:group:-100123:5'],
  ['telegram group -100123 5 7 -', EACH, 'agent:main:telegram:group:-100123:5:7'],
  ['telegram group -100123 5 7 -', NONE, 'agent:main:telegram:group:-100123:5'],
  ['telegram channel -100999 - -100999 -', USUAL, 'agent:main:telegram:channel:-100999:-100999'],
  ['telegram channel -100999 - - -', USUAL, 'agent:main:telegram:channel:-100999'],
  ['discord dm 111 - 42 -', USUAL, 'agent:main:discord:dm:111'],
  ['discord group 222 - 42 -', USUAL, 'agent:main:discord:group:222:42'],
  ['discord channel 222 - 42 -', NONE, 'agent:main:discord:channel:222'],
  ['discord thread 333 333 42 -', USUAL, 'agent:main:discord:thread:333:333'],
  ['discord thread 333 333 42 -', EACH, 'agent:main:discord:thread:333:333:42'],
  ['discord thread 333 333 42 -', NONE, 'agent:main:discord:thread:333:333'],
  ['slack dm D01 - U01 -', USUAL, 'agent:main:slack:dm:D01'],
  ['slack dm D01 1712.0001 U01 -', USUAL, 'agent:main:slack:dm:D01:1712.0001'],
  ['slack group C01 - U01 -', USUAL, 'agent:main:slack:group:C01:U01'],
  ['slack group C01 1712.0001 U01 -', USUAL, 'agent:main:slack:group:C01:1712.0001'],
  ['slack group C01 1712.0001 U01 -', EACH, 'agent:main:slack:group:C01:1712.0001:U01'],
  ['slack channel C01 - - -', USUAL, 'agent:main:slack:channel:C01'],
  ['slack group - - U01 -', USUAL, 'agent:main:slack:group:U01'],
  ['whatsapp dm 49170@s.whatsapp.net - 49170@s.whatsapp.net -', USUAL, 'agent:main:whatsapp:dm:49170@s.whatsapp.net'],
  [
    'whatsapp group 123@g.us - 49170@s.whatsapp.net -',
    USUAL,
    'agent:main:whatsapp:group:123@g.us:49170@s.whatsapp.net',
  ],
  ['signal dm +4917 - +4917 0b-uuid', USUAL, 'agent:main:signal:dm:+4917'],
  ['signal dm - 3 - -', USUAL, 'agent:main:signal:dm:3'],
  ['signal dm - - - -', USUAL, 'agent:main:signal:dm'],
  ['signal group g== - +4917 0b-uuid', USUAL, 'agent:main:signal:group:g==:0b-uuid'],
  ['signal group g== - +4917 0b-uuid', NONE, 'agent:main:signal:group:g=='],
  ['matrix dm !r:example.org - @ada:example.org -', USUAL, 'agent:main:matrix:dm:!r:example.org'],
  [
    'matrix group !r:example.org - @ada:example.org -',
    USUAL,
    'agent:main:matrix:group:!r:example.org:@ada:example.org',
  ],
  ['matrix group !r:example.org $t @ada:example.org -', USUAL, 'agent:main:matrix:group:!r:example.org:$t'],
  ['mattermost channel c9 - u9 -', USUAL, 'agent:main:mattermost:channel:c9:u9'],
  ['email dm ada@example.org - ada@example.org -', USUAL, 'agent:main:email:dm:ada@example.org'],
  ['sms dm +1555 - +1555 -', USUAL, 'agent:main:sms:dm:+1555'],
  ['feishu group oc_1 - ou_1 on_1', USUAL, 'agent:main:feishu:group:oc_1:on_1'],
  ['feishu group oc_1 om_1 ou_1 on_1', EACH, 'agent:main:feishu:group:oc_1:om_1:on_1'],
];

function toSource(row: string): ChatSource {
  const [platform = '', chatType, chatId = '', ...ids] = row.split(' ').map((part) => (part === '-' ? '' : part));
  const [threadId = '', userId = '', userIdAlt = ''] = ids;
  const source = on(platform, chatType as ChatSource['chatType'], { chatId });
  // An empty id is the same as none.
  return Object.assign(source, { threadId, userId, userIdAlt });
}

describe('the formats of the original', () => {
  verifies(['GW-11', 'GW-28'], 'are those of session keys and pairing files, for 40 sources', async () => {
    expect(SOURCES.length).toBeGreaterThanOrEqual(40);
    const home = await mkdtemp(join(tmpdir(), 'hermes-formats-'));
    onTestFinished(() => rm(home, { recursive: true }));
    let now = 1_767_323_045_000;
    const pairing = createPairing(home, { now: () => now });
    const folder = join(home, 'platforms/pairing');
    const read = async (file: string) => JSON.parse(await readFile(join(folder, file), 'utf8')) as unknown;
    for (const [row, rules, key] of SOURCES) {
      const source = toSource(row);
      expect(sessionKey(source, rules), row).toBe(key);
      const { platform, userId = '' } = source;
      if (userId === '') continue;
      // Requests of one user are limited, and codes expire.
      now += 3_600_000;
      const made = await pairing.request({ platform, userId, userName: `Name of ${userId}` });
      if (made.outcome !== 'code') throw new Error(made.outcome);
      const seconds = now / 1000;
      const entry = { user_id: userId, user_name: `Name of ${userId}`, created_at: seconds };
      expect(await read(`${platform}-pending.json`), row).toEqual({ [made.code]: entry });
      await pairing.approve(platform, made.code);
      expect(await read(`${platform}-approved.json`), row).toMatchObject({
        [userId]: { user_name: `Name of ${userId}`, approved_at: seconds },
      });
      expect(await read('_rate_limits.json'), row).toMatchObject({ [`${platform}:${userId}`]: seconds });
    }
  });
});

describe('sessionKey', () => {
  verifies('GW-11', 'depends on the ids of a chat only, not on names', () => {
    const id = fc.option(fc.stringMatching(/^[\w-]{1,8}$/), { nil: undefined });
    const name = fc.string();
    fc.assert(
      fc.property(id, id, id, name, name, (threadId, userId, userIdAlt, first, second) => {
        const ids = {
          chatId: 'c',
          ...(threadId && { threadId }),
          ...(userId && { userId }),
          ...(userIdAlt && { userIdAlt }),
        };
        const named = (userName: string) =>
          on('slack', 'group', { ...ids, userName, chatName: userName, chatTopic: userName });
        expect(sessionKey(named(first), EACH)).toBe(sessionKey(named(second), EACH));
      }),
    );
  });

  verifies('GW-11', 'differs between direct messages of different people, whatever the rules', () => {
    const user = fc.stringMatching(/^\d{1,9}$/);
    fc.assert(
      fc.property(user, user, fc.constantFrom(USUAL, EACH, NONE), (a, b, rules) => {
        fc.pre(a !== b);
        const key = (userId: string) => sessionKey(on('telegram', 'dm', { chatId: userId, userId }), rules);
        expect(key(a)).not.toBe(key(b));
      }),
    );
  });
});

it.each([
  ['dm', undefined, NONE, false],
  ['group', undefined, USUAL, false],
  ['group', undefined, NONE, true],
  ['group', 't', USUAL, true],
  ['group', 't', EACH, false],
] as const)('a %s with thread %s and %j is shared: %s', (chatType, threadId, rules, shared) => {
  const source = on('slack', chatType, { chatId: 'c', ...(threadId !== undefined && { threadId }) });
  expect(isShared(source, rules)).toBe(shared);
});
