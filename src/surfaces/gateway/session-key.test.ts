import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { ChatSource } from '../../contracts/index.ts';
import { isShared, sessionKey } from './session-key.ts';

const USUAL = { groupPerUser: true, threadPerUser: false };
const EACH = { groupPerUser: true, threadPerUser: true };
const NONE = { groupPerUser: false, threadPerUser: false };

const on = (platform: string, chatType: ChatSource['chatType'], more: Partial<ChatSource>): ChatSource => ({
  platform,
  chatType,
  chatId: '',
  ...more,
});

describe('sessionKey', () => {
  it.each([
    [on('telegram', 'dm', { chatId: '7', userId: '7' }), USUAL, 'agent:main:telegram:dm:7'],
    [on('telegram', 'dm', { chatId: '7', threadId: '3', userId: '7' }), USUAL, 'agent:main:telegram:dm:7:3'],
    [on('signal', 'dm', { threadId: '3' }), USUAL, 'agent:main:signal:dm:3'],
    [on('signal', 'dm', {}), USUAL, 'agent:main:signal:dm'],
    [on('telegram', 'dm', { chatId: '7', userId: '8' }), NONE, 'agent:main:telegram:dm:7'],
    [on('telegram', 'group', { chatId: '-100', userId: '7' }), USUAL, 'agent:main:telegram:group:-100:7'],
    [on('telegram', 'group', { chatId: '-100', userId: '7' }), NONE, 'agent:main:telegram:group:-100'],
    [
      on('telegram', 'group', { chatId: '-100', threadId: '5', userId: '7' }),
      USUAL,
      'agent:main:telegram:group:-100:5',
    ],
    [
      on('telegram', 'group', { chatId: '-100', threadId: '5', userId: '7' }),
      EACH,
      'agent:main:telegram:group:-100:5:7',
    ],
    [on('telegram', 'group', { chatId: '-100', threadId: '5', userId: '7' }), NONE, 'agent:main:telegram:group:-100:5'],
    [on('discord', 'channel', { chatId: 'c', userId: 'u' }), USUAL, 'agent:main:discord:channel:c:u'],
    [on('discord', 'thread', { chatId: 'c', threadId: 't', userId: 'u' }), USUAL, 'agent:main:discord:thread:c:t'],
    [on('discord', 'thread', { chatId: 'c', threadId: 't', userId: 'u' }), EACH, 'agent:main:discord:thread:c:t:u'],
    [on('signal', 'group', { chatId: 'g', userId: '+1', userIdAlt: 'uuid' }), USUAL, 'agent:main:signal:group:g:uuid'],
    [on('slack', 'channel', { chatId: 'C1' }), USUAL, 'agent:main:slack:channel:C1'],
    [on('slack', 'group', { userId: 'U1' }), USUAL, 'agent:main:slack:group:U1'],
  ])('%j with %j is %s', (source, rules, key) => {
    expect(sessionKey(source, rules)).toBe(key);
  });

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
