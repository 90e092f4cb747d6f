import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { scaledRuns } from '../../../../test/support/dose.ts';
import type { ChannelEvent, ChatSource, IncomingContent, MentionSettings } from '../../../contracts/index.ts';
import { type AccessRules, findActor } from './access.ts';
import { isForBot } from './attention.ts';

const NOBODY: AccessRules = {
  allowAll: false,
  allowed: [],
  groupAllowed: [],
  groupChats: [],
  admins: {},
  userCommands: {},
  strangers: 'pair',
};
const dm = (userId: string, more: Partial<ChatSource> = {}): ChatSource => ({
  platform: 'telegram',
  chatType: 'dm',
  chatId: userId,
  userId,
  ...more,
});
const group = (userId: string, more: Partial<ChatSource> = {}) =>
  dm(userId, { chatType: 'group', chatId: '-5', ...more });

describe('who may use the bot', () => {
  const role = (source: ChatSource, rules: Partial<AccessRules>, approved: readonly string[] = []) =>
    findActor(source, { ...NOBODY, ...rules }, approved)?.role ?? 'stranger';

  it.each<[string, ChatSource, Partial<AccessRules>, string[], string]>([
    ['nobody by default', dm('7'), {}, [], 'stranger'],
    ['nobody in a group', group('7'), {}, [], 'stranger'],
    ['somebody without an id', dm('', { userName: '7' }), { allowed: ['7', '*'] }, [], 'stranger'],
    ['everybody with a star', dm('7'), { allowed: ['*'] }, [], 'user'],
    ['everybody, if so configured', dm('7'), { allowAll: true }, [], 'user'],
    ['the first of the list as admin', dm('7'), { allowed: ['7', '8'] }, [], 'admin'],
    ['others of the list', dm('8'), { allowed: ['7', '8'] }, [], 'user'],
    ['the first who was paired as admin', dm('7'), {}, ['7', '8'], 'admin'],
    ['others who were paired', group('8'), {}, ['7', '8'], 'user'],
    ['the first of the list before the first who was paired', dm('8'), { allowed: ['7'] }, ['8'], 'user'],
    ['admins of direct messages only there', dm('8'), { allowed: ['7'], admins: { dm: ['8'] } }, [], 'admin'],
    ['no admin in groups, if only one list exists', group('7'), { allowed: ['7'], admins: { dm: ['7'] } }, [], 'user'],
    ['admins of groups only there', group('8'), { admins: { group: ['8'] } }, [], 'admin'],
    ['not an admin of groups in direct messages', dm('8'), { admins: { group: ['8'] } }, [], 'stranger'],
    ['no admin for an empty list', dm('7'), { allowed: ['7'], admins: { dm: [] } }, [], 'user'],
    ['users of groups in groups', group('9'), { groupAllowed: ['9'] }, [], 'user'],
    ['users of groups not in direct messages', dm('9'), { groupAllowed: ['9'] }, [], 'stranger'],
    ['all members of a listed group', group('9'), { groupChats: ['-5'] }, [], 'user'],
    ['not those of other groups', group('9', { chatId: '-6' }), { groupChats: ['-5'] }, [], 'stranger'],
    ['not in direct messages', dm('9'), { groupChats: ['-5', '*'] }, [], 'stranger'],
    ['a channel that speaks for itself', dm('-5', { chatType: 'channel' }), { allowed: ['-5'] }, [], 'admin'],
    ['the second id of a user', dm('+49', { userIdAlt: 'uuid' }), { allowed: ['uuid'] }, [], 'admin'],
    ['the part before the @', dm('49@s.whatsapp.net'), { allowed: ['49'] }, [], 'admin'],
    ['not the part after it', dm('49@7'), { allowed: ['7'] }, [], 'stranger'],
  ])('%s', (_, source, rules, approved, expected) => {
    expect(role(source, rules, approved)).toBe(expected);
  });

  verifies('GW-22', 'never decides by a name', () => {
    const text = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(text, text, fc.constantFrom('dm', 'group', 'channel', 'thread'), (listed, name, chatType) => {
        const source: ChatSource = { ...dm('stranger-id', { chatId: 'chat-id' }), chatType };
        const named = { ...source, userName: listed, chatName: listed, chatTopic: name };
        fc.pre(!['stranger-id', 'chat-id', '*'].includes(listed));
        const rules = { allowed: [listed], groupAllowed: [listed], groupChats: [listed], admins: { dm: [listed] } };
        expect(role(named, rules, [listed])).toBe('stranger');
      }),
      { numRuns: scaledRuns(500) },
    );
  });
});

const RULES: MentionSettings = {
  required: true,
  patterns: [],
  freeChats: [],
  allowedChats: [],
  ignoredChats: [],
  ignoredThreads: [],
  ignoredUsers: [],
  bots: 'none',
};

describe('which messages are read', () => {
  const event = (source: ChatSource, content: Partial<IncomingContent> = {}): ChannelEvent => ({
    id: '1',
    kind: 'message',
    source,
    sentAt: 0,
    content: { messageId: '1', text: 'hello', files: [], isAddressed: source.chatType === 'dm', ...content },
  });
  const mention = { isAddressed: true };
  const thread = group('7', { threadId: '31' });

  it.each<[string, ChannelEvent, Partial<MentionSettings>, boolean]>([
    ['a direct message', event(dm('7')), {}, true],
    ['a mention', event(group('7'), mention), {}, true],
    ['other messages of a group', event(group('7')), {}, false],
    ['other messages, if no mention is required', event(group('7')), { required: false }, true],
    ['messages of a free chat', event(group('7')), { freeChats: ['-5'] }, true],
    ['messages of a free thread', event(thread), { freeChats: ['31'] }, true],
    ['messages that match a pattern', event(group('7'), { text: 'Hey HERMES, ...' }), { patterns: [/hermes/iu] }, true],
    ['messages that match no pattern', event(group('7')), { patterns: [/hermes/iu] }, false],
    ['a mention in an ignored thread', event(thread, mention), { ignoredThreads: ['31'] }, false],
    ['a mention in another thread', event(thread, mention), { ignoredThreads: ['32'] }, true],
    ['a mention in an ignored chat', event(group('7'), mention), { ignoredChats: ['-5'] }, false],
    ['a mention in an allowed chat', event(group('7'), mention), { allowedChats: ['-5'] }, true],
    ['a mention in a chat that is not listed', event(group('7'), mention), { allowedChats: ['-6'] }, false],
    ['a direct message, whatever chats are listed', event(dm('7')), { allowedChats: ['-6'] }, true],
    ['an ignored user', event(dm('7')), { ignoredUsers: ['7'] }, false],
    ['another bot', event(group('7'), { ...mention, isFromBot: true }), {}, false],
    [
      'another bot that mentions this one',
      event(group('7'), { ...mention, isFromBot: true }),
      { bots: 'mentions' },
      true,
    ],
    ['another bot that does not', event(group('7'), { isFromBot: true }), { bots: 'mentions', required: false }, false],
    ['all bots, if so configured', event(group('7'), { isFromBot: true }), { bots: 'all', required: false }, true],
    ['another bot in a direct message', event(dm('7'), { isFromBot: true }), {}, false],
    ['a pressed button', { ...event(thread), kind: 'action' }, { ignoredThreads: ['31'] }, true],
    ['a group that moved', event(group('7', { formerChatId: '-4' })), { required: false }, false],
  ])('%s', (_, each, rules, expected) => {
    expect(isForBot(each, { ...RULES, ...rules })).toBe(expected);
  });

  it('does not test patterns on more than the start of a text', () => {
    const text = `${'a'.repeat(100_000)}hermes`;
    expect(isForBot(event(group('7'), { text }), { ...RULES, patterns: [/hermes/iu] })).toBe(false);
  });
});
