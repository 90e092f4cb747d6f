import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { systemClock } from '../../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelEvent,
  type NewOutgoing,
  silentLogger,
} from '../../../contracts/index.ts';
import { openSqliteStore } from '../../../store/sqlite/index.ts';
import { type AccountOptions, type AccountStatus, startAccount } from './account-runner.ts';
import { createTestChannel } from '../test-channel.test-helper.ts';
import { type OutgoingBody, toBody } from './outbox-sender.ts';

const ACCOUNT = 'test:1';

async function open(changes: Partial<AccountOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-account-'));
  const sessions = await openSqliteStore({ file: join(folder, 'state.db') });
  const store = await sessions.openGatewayStore();
  const platform = createTestChannel();
  const statuses: AccountStatus[] = [];
  const received = vi.fn();
  const account = startAccount({
    channel: platform.channel,
    store,
    holder: 'process 1',
    clock: systemClock,
    logger: silentLogger,
    toMessage: ({ id, kind, source, sentAt, content }) => ({
      chat: { key: source.chatId, account: ACCOUNT, source: {} },
      externalId: id,
      kind,
      author: source.userId ?? '',
      body: { text: content.text },
      sentAt,
      receivedAt: sentAt,
    }),
    onReceived: received,
    onStatus: (status) => void statuses.push(status),
    ...changes,
  });
  onTestFinished(async () => {
    await account.close();
    await sessions.close();
    await rm(folder, { recursive: true });
  });
  return { store, account, statuses, received, ...platform };
}

const event = (id: string): ChannelEvent => ({
  id,
  kind: 'message',
  source: { platform: 'test', chatType: 'dm', chatId: 'a', userId: '7' },
  sentAt: 1,
  content: { messageId: id, text: `text ${id}`, files: [], isAddressed: true },
});

const outgoing = (id: string, text = id, more: Partial<OutgoingBody> = {}): NewOutgoing => ({
  id,
  key: 'a',
  account: ACCOUNT,
  kind: 'final',
  body: toBody({ target: { chatId: 'a' }, isGroup: false, content: { text }, ...more }),
  createdAt: 1,
});

describe('an account', () => {
  verifies('GW-1', 'stores events with the cursor before the adapter may acknowledge them', async () => {
    const { store, connections, received } = await open();
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    const [connection] = connections;
    expect(connection?.cursor).toBeUndefined();
    await connection?.deliver([event('1'), event('2')], { offset: 2 });
    expect(await store.figures()).toMatchObject({ waiting: 2 });
    await connection?.deliver([event('2')], { offset: 2 });
    expect(await store.figures()).toMatchObject({ waiting: 2 });
    expect(received).toHaveBeenCalledTimes(1);
  });

  verifies('GW-14', 'connects again after a failure, with the stored cursor', async () => {
    const { connections, statuses, identifyWith } = await open({ clock: quick() });
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    await connections[0]?.deliver([], { offset: 5 });
    let failures = 0;
    identifyWith(async () => {
      failures += 1;
      if (failures < 3) throw new ChannelError('transient', 'connection reset');
      return { account: ACCOUNT, name: '@bot' };
    });
    // The adapter hangs: it gives no sign of life.
    await vi.waitFor(() => expect(connections).toHaveLength(2), 5000);
    expect(connections[0]?.signal.aborted).toBe(true);
    expect(connections[1]?.cursor).toEqual({ offset: 5 });
    expect(statuses.map(({ state, error }) => error ?? state)).toEqual(
      expect.arrayContaining([expect.stringMatching(/no sign of life/), 'connection reset', 'connected']),
    );
  });

  verifies('GW-16', 'stops with an account that cannot work, and says why', async () => {
    const { account, identifyWith, connections } = await open({ channel: revoked() });
    identifyWith(async () => ({ account: ACCOUNT, name: '@bot' }));
    await vi.waitFor(() => expect(account.status()).toMatchObject({ state: 'fatal', error: 'The token was revoked.' }));
    expect(connections).toHaveLength(0);
  });

  verifies('GW-15', 'survives whatever an adapter or a listener does', async () => {
    const { channel, connections } = createTestChannel();
    const faults: (() => Promise<void>)[] = [
      // Throws before there is a promise.
      () => {
        throw new TypeError('x is undefined');
      },
      // Ends as if it had been asked to.
      () => Promise.resolve(),
      // Ignores the signal, so that the account cannot wait for it.
      () => new Promise(() => undefined),
      () => Promise.reject(new Error('a bug')),
    ];
    const { statuses } = await open({
      clock: quick(),
      channel: { ...channel, receive: (options) => (faults.shift() ?? (() => channel.receive(options)))() },
      onStatus(status) {
        statuses.push(status);
        throw new Error('the listener failed');
      },
    });
    await vi.waitFor(() => expect(connections).toHaveLength(1), 20_000);
    expect(statuses.flatMap(({ error }) => error ?? [])).toEqual([
      'x is undefined',
      'test ended the connection.',
      expect.stringMatching(/no sign of life/),
      'a bug',
    ]);
  });

  verifies('GW-15', 'connects again if the platform never says who the bot is', async () => {
    const { connections, identifyWith, statuses } = await open({ clock: quick() });
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    const [hangs, answers] = [new Promise<never>(() => undefined), { account: ACCOUNT, name: '@bot' }];
    let calls = 0;
    identifyWith(() => ((calls += 1) === 1 ? hangs : Promise.resolve(answers)));
    await vi.waitFor(() => expect(connections).toHaveLength(2), 20_000);
    expect(statuses.map(({ error }) => error)).toContain('test did not say who the bot is in time.');
  });

  verifies('GW-20', 'takes nothing more into a full inbox, and continues when there is space', async () => {
    const { store, connections, statuses } = await open({ clock: quick(), maxWaiting: 200 });
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    const many = Array.from({ length: 200 }, (_, index) => event(`m${index}`));
    await connections[0]?.deliver(many, { offset: 200 });
    await expect(connections[0]?.deliver([event('late')], { offset: 201 })).rejects.toThrow('The inbox is full');
    expect(await store.figures()).toMatchObject({ waiting: 200 });
    expect(statuses.at(-1)?.state).toBe('connected');
    const [chat] = await store.claimChats({ owner: 'worker', limit: 1, ttlMs: 60_000 });
    const unfinished = chat && (await store.listUnfinished(chat));
    const ids = unfinished === undefined || unfinished === 'lost' ? [] : unfinished.map(({ id }) => id);
    if (chat) await store.finishWork(chat, { messages: ids, state: 'done', outgoing: [], release: true });
    await vi.waitFor(async () => {
      const again = connections.at(-1)?.deliver([event('late')], { offset: 201 });
      await expect(again).resolves.toBeTypeOf('number');
    }, 20_000);
  });

  it('waits while another process holds the account', async () => {
    const first = await open();
    await vi.waitFor(() => expect(first.account.status().state).toBe('connected'));
    const second = createTestChannel();
    const other = startAccount({
      channel: second.channel,
      store: first.store,
      holder: 'process 2',
      clock: systemClock,
      logger: silentLogger,
      toMessage: () => undefined,
      onReceived: () => undefined,
    });
    await vi.waitFor(() => expect(other.status()).toMatchObject({ state: 'waiting', account: ACCOUNT }));
    expect(second.connections).toHaveLength(0);
    await other.close();
  });
});

describe('the outbox of an account', () => {
  verifies(['GW-2', 'GW-6'], 'is sent in order, each message once', async () => {
    const { store, account, sent, connections } = await open();
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    await store.addOutgoing([outgoing('1'), outgoing('2'), outgoing('3')]);
    account.wake();
    await vi.waitFor(async () => expect(await store.figures()).toMatchObject({ unsent: 0 }));
    expect(sent.map(({ key }) => key)).toEqual(['1', '2', '3']);
  });

  verifies('GW-2', 'marks a message that may have arrived already, where the platform cannot tell', async () => {
    const { store, account, sent, answerWith, connections } = await open();
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    let failures = 0;
    answerWith(() => {
      failures += 1;
      if (failures === 1) throw new ChannelError('uncertain', 'the connection was lost', { retryAfterMs: 1 });
      return { id: 'm' };
    });
    await store.addOutgoing([outgoing('1', 'hello')]);
    account.wake();
    await vi.waitFor(async () => expect(await store.figures()).toMatchObject({ unsent: 0 }), 5000);
    expect(sent.map(({ content }) => content?.text)).toEqual([
      'hello',
      '(This message may have arrived already.)\nhello',
    ]);
  });

  verifies('GW-6', 'replaces messages by edits, removes superfluous ones, and gives up what is gone', async () => {
    const { store, account, shown, texts, connections } = await open();
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    await store.addOutgoing([outgoing('question', 'Allow?'), outgoing('stream', 'Hello, wor'), outgoing('rest', '…')]);
    await account.flush();
    expect(shown()).toEqual(['Allow?', 'Hello, wor', '…']);
    const removal = outgoing('removal');
    removal.body = toBody({ target: { chatId: 'a' }, isGroup: false, replaces: { platformId: 'm3' } });
    await store.addOutgoing([
      outgoing('answer', 'Hello, world', { replaces: { platformId: 'm2' } }),
      removal,
      outgoing('closed', 'Allowed.', { replaces: { outgoing: 'question', isOptional: true } }),
      outgoing('lost', 'Allowed.', { replaces: { outgoing: 'unknown', isOptional: true } }),
      outgoing('again', 'It was deleted.', { replaces: { platformId: 'deleted' } }),
    ]);
    await account.flush();
    expect(shown()).toEqual(['Allowed.', 'Hello, world', 'It was deleted.']);
    expect(texts()).toHaveLength(4);
    expect(await store.figures()).toMatchObject({ unsent: 0, failed: 1 });
  });

  it('is sent without formatting if the platform rejects it, and given up if the chat is gone', async () => {
    const { store, account, sent, answerWith, connections } = await open();
    await vi.waitFor(() => expect(connections).toHaveLength(1));
    answerWith(({ content }) => {
      if (content?.format !== undefined) throw new ChannelError('bad_format', 'bad entities');
      if (content?.text === 'gone') throw new ChannelError('not_found', 'no such chat');
      return { id: 'm' };
    });
    const formatted = outgoing('1', 'x', { content: { text: 'x', format: { entities: [] } } });
    await store.addOutgoing([formatted, outgoing('2', 'gone'), outgoing('3')]);
    account.wake();
    await vi.waitFor(async () => expect(await store.figures()).toMatchObject({ unsent: 0, failed: 1 }), 5000);
    expect(sent.map(({ content }) => content)).toEqual([
      { text: 'x', format: { entities: [] } },
      { text: 'x' },
      { text: 'gone' },
      { text: '3' },
    ]);
  });
});

/** A clock in which a minute passes in 300 ms. */
function quick() {
  const begun = Date.now();
  return {
    now: () => begun + (Date.now() - begun) * 200,
    sleep: (milliseconds: number, signal?: AbortSignal) => systemClock.sleep(milliseconds / 200, signal),
  };
}

function revoked(): Channel {
  const { channel } = createTestChannel();
  const fail = () => Promise.reject(new ChannelError('fatal', 'The token was revoked.'));
  return { ...channel, identify: fail };
}
