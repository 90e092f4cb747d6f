import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Attachment, Message } from '../../base/index.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const attachment = (name: string, more: Partial<Attachment> = {}): Attachment => ({
  kind: 'image',
  mediaType: 'image/png',
  name,
  hash: 'ab'.repeat(32),
  size: 3,
  ...more,
});

const CONVERSATION: Message[] = [
  { role: 'user', content: 'List the files', sentContent: 'List the files\n\n<memory>…</memory>' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'call_1', name: 'terminal', arguments: '{"command": "ls"}' },
      {
        id: 'call_2',
        name: 'read_file',
        arguments: '{not json',
        itemId: 'fc_2',
        extraContent: { google: ['x', null] },
      },
    ],
    finishReason: 'tool_calls',
    reasoning: 'Two calls are enough.',
    reasoningDetails: [{ type: 'thinking', thinking: 'Two…', signature: 'c2ln' }],
    codexReasoningItems: [{ type: 'reasoning', encrypted_content: 'AAAA' }],
    producer: 'https://example.invalid/v1',
  },
  { role: 'tool', toolCallId: 'call_1', toolName: 'terminal', content: 'a\0b\r\n日本語 😀 \u{10FFFF}' },
  { role: 'tool', toolCallId: 'call_2', toolName: 'read_file', content: '' },
  { role: 'assistant', content: 'There are two.', finishReason: 'stop', toolCalls: [] },
  { role: 'user', content: `'; DROP TABLE messages; --` },
  {
    role: 'user',
    content: '',
    attachments: [
      attachment('"a".png'),
      attachment('b.pdf', { kind: 'document', mediaType: 'application/pdf', description: 'Two pages.' }),
    ],
  },
];

export function describeMessages(openStore: OpenStore): void {
  describe('messages', () => {
    verifies(['LOOP-11', 'STORE-3'], 'a conversation is read back exactly as it was appended', async () => {
      const { store, create, openAgain } = await openHarness(openStore);
      await create('one');
      await create('two');
      await store.appendMessages('one', CONVERSATION.slice(0, 1));
      await store.appendMessages('two', [{ role: 'user', content: 'elsewhere' }]);
      await store.appendMessages('one', CONVERSATION.slice(1));
      expect(await store.getConversation('one')).toStrictEqual(CONVERSATION);
      const other = await openAgain();
      expect(await other.getConversation('one')).toStrictEqual(CONVERSATION);
      await other.close();
      expect(await store.getConversation('nobody')).toEqual([]);
    });

    it('stored messages have ascending ids and the time at which they were stored', async () => {
      const { store, create, advance } = await openHarness(openStore);
      await create('one');
      await store.appendMessages('one', CONVERSATION.slice(0, 2));
      // The order does not change if the clock is set back.
      advance(-60_000);
      await store.appendMessages('one', CONVERSATION.slice(2, 3));
      const stored = await store.getMessages('one');
      expect(stored.map(({ timestamp }) => timestamp - START)).toEqual([0, 0, -60_000]);
      expect(stored.map(({ message }) => message)).toStrictEqual(CONVERSATION.slice(0, 3));
      expect(stored.every(({ sessionId }) => sessionId === 'one')).toBe(true);
      const ids = stored.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    });

    it('counts messages, tool calls and the usage of the call', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      await store.appendMessages('one', CONVERSATION, callRecord());
      await store.appendMessages('one', [], callRecord());
      expect(await store.getSession('one')).toMatchObject({
        messageCount: CONVERSATION.length,
        toolCallCount: 2,
        usage: { input: 200, output: 40, cacheRead: 14, cacheWrite: 6, reasoning: 10 },
      });
      expect(await store.sessionSpending('one')).toEqual({ usd: 0.5, tokens: 260, unpriced: 0 });
    });

    describeAttachments(openStore);
    describeSentContent(openStore);
    describeAllOrNothing(openStore);
  });
}

function describeAttachments(openStore: OpenStore): void {
  verifies('CALL-12', 'attachment descriptions are stored with the newest message only', async () => {
    const { store, create, openAgain } = await openHarness(openStore);
    await create('one');
    const described = [attachment('a.png', { description: 'A cat.' })];
    await expect(store.setAttachments('one', described)).rejects.toThrow('does not have these attachments');
    await store.appendMessages('one', [{ role: 'user', content: 'look', attachments: [attachment('a.png')] }]);
    await store.setAttachments('one', described);
    const expected: Message[] = [{ role: 'user', content: 'look', attachments: described }];
    expect(await store.getConversation('one')).toStrictEqual(expected);
    await expect(store.setAttachments('one', [])).rejects.toThrow('does not have these attachments');
    // An answer means that the message has been sent, so its attachments can no longer change.
    await store.appendMessages('one', [{ role: 'assistant', content: 'a cat' }]);
    await expect(store.setAttachments('one', [attachment('a.png')])).rejects.toThrow('does not have these attachments');
    const other = await openAgain();
    expect((await other.getConversation('one'))[0]).toStrictEqual(expected[0]);
    await other.close();
    expect((await store.searchMessages({ text: 'look' })).hits).toHaveLength(1);
  });

  verifies('TOOL-11', 'images of tool results are stored, and described as long as no answer follows', async () => {
    const { store, create, openAgain } = await openHarness(openStore);
    await create('one');
    const calls = ['c1', 'c2'].map((id) => ({ id, name: 'read_file', arguments: '{}' }));
    const results = calls.map(({ id }): Message => {
      return { role: 'tool', toolCallId: id, toolName: 'read_file', content: 'look', attachments: [attachment(id)] };
    });
    const asked: Message = { role: 'assistant', content: '', toolCalls: calls };
    await store.appendMessages('one', [asked, ...results]);
    expect(await store.getConversation('one')).toStrictEqual([asked, ...results]);
    const described = [attachment('c1', { description: 'A cat.' })];
    await store.setAttachments('one', described, 'c1');
    const unlike = 'does not have these attachments';
    await expect(store.setAttachments('one', described)).rejects.toThrow(unlike);
    await expect(store.setAttachments('one', described, 'c3')).rejects.toThrow(unlike);
    await expect(store.setAttachments('one', [], 'c1')).rejects.toThrow(unlike);
    await store.appendMessages('one', [{ role: 'assistant', content: 'two cats' }]);
    await expect(store.setAttachments('one', [attachment('c2')], 'c2')).rejects.toThrow(unlike);
    const other = await openAgain();
    const expected = [asked, { ...results[0], attachments: described }, results[1]];
    expect((await other.getConversation('one')).slice(0, 3)).toStrictEqual(expected);
    await other.close();
  });
}

function describeSentContent(openStore: OpenStore): void {
  it('stores the sent content of the newest message, which is neither shown nor searched', async () => {
    const { store, create, openAgain } = await openHarness(openStore);
    await create('one');
    await expect(store.setSentContent('one', 'x')).rejects.toThrow('is not a user message');
    await store.appendMessages('one', [{ role: 'user', content: 'look' }]);
    await store.setSentContent('one', 'look\n\nrecalled\0 half \ud83d');
    const expected: Message = { role: 'user', content: 'look', sentContent: 'look\n\nrecalled\0 half \ufffd' };
    expect(await store.getConversation('one')).toStrictEqual([expected]);
    expect((await store.searchMessages({ text: 'recalled' })).hits).toEqual([]);
    await store.appendMessages('one', [{ role: 'assistant', content: 'a cat' }]);
    await expect(store.setSentContent('one', 'y')).rejects.toThrow('is not a user message');
    const other = await openAgain();
    expect((await other.getConversation('one'))[0]).toStrictEqual(expected);
    await other.close();
  });
}

function describeAllOrNothing(openStore: OpenStore): void {
  it('stores all messages or none', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    const broken = { role: 'user', content: Symbol('cannot be stored') } as unknown as Message;
    await expect(store.appendMessages('one', [...CONVERSATION, broken], callRecord())).rejects.toThrow(/./);
    expect(await store.getConversation('one')).toEqual([]);
    expect(await store.getSession('one')).toMatchObject({ messageCount: 0, usage: { input: 0 } });
    expect(await store.sessionSpending('one')).toEqual({ usd: 0, tokens: 0, unpriced: 0 });
    await store.appendMessages('one', CONVERSATION);
    expect(await store.getConversation('one')).toStrictEqual(CONVERSATION);
  });

  it('stores text that is not valid Unicode, with replacement characters', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    await store.appendMessages('one', [{ role: 'user', content: 'half \ud83d here' }]);
    expect(await store.getConversation('one')).toEqual([{ role: 'user', content: 'half \ufffd here' }]);
  });

  it('rejects messages for a session that does not exist', async () => {
    const { store } = await openHarness(openStore);
    await expect(store.appendMessages('nobody', CONVERSATION)).rejects.toThrow('There is no session nobody');
    expect(await store.getConversation('nobody')).toEqual([]);
  });

  it('keeps the order of concurrent appends, and completes them before it closes', async () => {
    const { store, create, openAgain } = await openHarness(openStore);
    await create('one');
    const expected = Array.from({ length: 50 }, (_, number): Message => ({ role: 'user', content: `${number}` }));
    const appends = expected.map((message) => store.appendMessages('one', [message]));
    await store.close();
    await Promise.all(appends);
    await expect(store.getConversation('one')).rejects.toThrow('closed');
    const other = await openAgain();
    expect(await other.getConversation('one')).toEqual(expected);
    await other.close();
  });
}
