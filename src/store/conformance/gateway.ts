import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type {
  ChatClaim,
  GatewayStore,
  HeldAccount,
  InboxMessage,
  NewInboxMessage,
  NewOutgoing,
  SessionStore,
} from '../../contracts/index.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

const ACCOUNT = 'telegram:1';
const TTL = 15_000;
const CLAIM = { owner: 'process 1', limit: 10, ttlMs: TTL };

const chat = (key: string, name = 'Zoë \u0000') => ({ key, account: ACCOUNT, source: { chat_id: key, name } });

const message = (externalId: string, key = 'a', changes: Partial<NewInboxMessage> = {}): NewInboxMessage => ({
  chat: chat(key),
  externalId,
  kind: 'message',
  author: '7',
  body: { text: `text ${externalId} \u0000 😀` },
  sentAt: START,
  receivedAt: START,
  ...changes,
});

const outgoing = (id: string, key = 'a', changes: Partial<NewOutgoing> = {}): NewOutgoing => ({
  key,
  account: ACCOUNT,
  id,
  kind: 'final',
  body: { text: id },
  createdAt: START,
  ...changes,
});

const idsOf = (taken: readonly InboxMessage[]) => taken.map(({ externalId }) => externalId);

/** Assigns all unfinished messages of a chat to a turn. */
async function take(gateway: GatewayStore, claim: ChatClaim, turnId: string): Promise<InboxMessage[]> {
  const unfinished = await gateway.listUnfinished(claim);
  if (unfinished === 'lost') throw new Error('the claim was lost');
  const messages = unfinished.map(({ id }) => id);
  expect(await gateway.assignMessages(claim, { turnId, sessionId: 's0' }, messages)).toBe(true);
  return unfinished;
}

/** The only chat with waiting messages. */
async function claimOne(gateway: GatewayStore, owner = CLAIM.owner): Promise<ChatClaim> {
  const [claim] = await gateway.claimChats({ ...CLAIM, owner });
  if (claim === undefined) throw new Error('no chat is waiting');
  return claim;
}

async function hold(gateway: GatewayStore, holder = 'process 1'): Promise<HeldAccount> {
  const held = await gateway.holdAccount(ACCOUNT, holder, TTL);
  if (held === undefined) throw new Error('another process holds the account');
  return held;
}

export function describeGateway(openStore: OpenStore): void {
  describe('the gateway tables', () => {
    async function open() {
      const harness = await openHarness(openStore);
      const gateway = await harness.store.openGatewayStore();
      return { ...harness, gateway, openOther: async () => (await harness.openAgain()).openGatewayStore() };
    }

    describeInbox(open);
    describeOutbox(open);
    describeReports(open);

    verifies('GW-1', 'let one process at a time hold an account, with the cursor of the previous one', async () => {
      const { gateway, openOther, advance } = await open();
      const other = await openOther();
      const held = await hold(gateway);
      expect(held.cursor).toBeUndefined();
      expect(await other.holdAccount(ACCOUNT, 'process 2', TTL)).toBeUndefined();
      await gateway.receive([message('1')], { held, cursor: { offset: 1 } });
      advance(TTL - 1);
      expect(await gateway.renewAccount(held, TTL)).toBe(true);
      advance(TTL - 1);
      expect(await other.holdAccount(ACCOUNT, 'process 2', TTL)).toBeUndefined();
      advance(2);
      const taken = await other.holdAccount(ACCOUNT, 'process 2', TTL);
      expect(taken?.cursor).toEqual({ offset: 1 });
      expect(await gateway.renewAccount(held, TTL)).toBe(false);
      expect(await gateway.receive([message('2')], { held, cursor: { offset: 2 } })).toBe('not_holder');
      expect(await gateway.figures()).toMatchObject({ waiting: 1 });
      await gateway.releaseAccount(held);
      expect(await gateway.holdAccount(ACCOUNT, 'process 3', TTL)).toBeUndefined();
      if (taken !== undefined) await other.releaseAccount(taken);
      expect(await gateway.holdAccount(ACCOUNT, 'process 3', TTL)).toMatchObject({ cursor: { offset: 1 } });
    });

    it('release what a dead process held', async () => {
      const { gateway, openOther } = await open();
      const other = await openOther();
      await hold(gateway, 'process 1');
      await gateway.receive([message('1')]);
      await gateway.claimChats({ ...CLAIM, owner: 'process 2' });
      expect((await other.listOwners()).toSorted()).toEqual(['process 1', 'process 2']);
      await other.releaseOwner('process 2');
      expect(await other.claimChats(CLAIM)).toHaveLength(1);
      expect(await other.holdAccount(ACCOUNT, 'process 3', TTL)).toBeUndefined();
      await other.releaseOwner('process 1');
      expect(await other.holdAccount(ACCOUNT, 'process 3', TTL)).toBeDefined();
    });

    it('count what is waiting, parked, unsent and failed, and prune what is finished', async () => {
      const { gateway } = await open();
      const held = await hold(gateway);
      await gateway.receive([message('1', 'a'), message('2', 'b', { receivedAt: START + 5 })]);
      const claim = await claimOne(gateway);
      const [taken] = await take(gateway, claim, 't');
      const work = { messages: [taken?.id ?? 0], outgoing: [outgoing('o1'), outgoing('o2', 'b')], release: true };
      await gateway.finishWork(claim, { ...work, state: 'parked' });
      await gateway.takeOutgoing(held, { now: START, limit: 1 });
      await gateway.settleOutgoing(held, 'o1', { state: 'failed', error: 'gone' });
      expect(await gateway.figures()).toEqual({
        waiting: 1,
        waitingSince: START + 5,
        parked: 1,
        unsent: 1,
        unsentSince: START,
        failed: 1,
      });
      await gateway.pruneGateway(START + 1);
      expect(await gateway.figures()).toMatchObject({ waiting: 1, parked: 0, unsent: 1, failed: 0 });
    });
  });
}

type Open = () => Promise<{
  gateway: GatewayStore;
  store: SessionStore;
  create(id: string): Promise<void>;
  openOther(): Promise<GatewayStore>;
  advance(milliseconds: number): void;
}>;

function describeInbox(open: Open): void {
  it('claim few requests to webhooks, and after chats; delete old ones and list none of them', async () => {
    const { gateway } = await open();
    const request = (id: string, receivedAt = START) =>
      message(id, `r${id}`, { chat: { ...chat(`r${id}`), account: 'webhook:main' }, receivedAt });
    await gateway.receive([request('1'), request('2'), request('3', START + 5000), message('4', 'a')]);
    const claimed = await gateway.claimChats({ ...CLAIM, requestLimit: 1 });
    expect(claimed.map(({ key }) => key)).toEqual(['a', 'r1']);
    expect((await gateway.claimChats({ ...CLAIM, limit: 1 })).map(({ key }) => key)).toEqual(['r2']);
    expect((await gateway.listGatewayConversations(9)).map(({ key }) => key)).toEqual(['a']);
    const [, first] = claimed;
    const [taken] = await take(gateway, first as ChatClaim, 't');
    const work = { messages: [taken?.id ?? 0], state: 'done', outgoing: [], release: true } as const;
    await gateway.finishWork(first as ChatClaim, work);
    await gateway.pruneGateway(START + 1000);
    expect(await gateway.getGatewayConversation('r1')).toBeUndefined();
    for (const key of ['r2', 'r3', 'a']) expect(await gateway.getGatewayConversation(key)).toBeDefined();
  });

  verifies(['GW-1', 'GW-7'], 'store a message once, however often it is delivered', async () => {
    const { gateway, openOther } = await open();
    const other = await openOther();
    const both = [message('1'), message('2', 'b')];
    expect(await gateway.receive(both)).toEqual(both);
    expect(await other.receive([message('2', 'b'), message('3', 'b')])).toEqual([message('3', 'b')]);
    // Another account may use the same ids.
    const foreign = message('1', 'c', { chat: { ...chat('c'), account: 'telegram:2' } });
    expect(await other.receive([foreign])).toEqual([foreign]);
    const claims = await gateway.claimChats(CLAIM);
    expect(claims.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    const [, b] = claims;
    expect(b?.conversation).toEqual({ ...chat('b'), sessionId: undefined, settings: {}, updatedAt: START });
    const stored = { id: expect.any(Number), state: 'waiting', turnId: undefined, attempts: 0 };
    expect(await gateway.listUnfinished(b as ChatClaim)).toEqual([
      { ...withoutChat(message('2', 'b')), ...stored },
      { ...withoutChat(message('3', 'b')), ...stored },
    ]);
  });

  verifies('GW-9', 'let one process at a time claim a chat, until its claim expires', async () => {
    const { gateway, openOther, advance } = await open();
    const other = await openOther();
    await gateway.receive([message('1')]);
    const claim = await claimOne(gateway);
    const second = { ...CLAIM, owner: 'process 2' };
    expect(await other.claimChats(second)).toEqual([]);
    advance(TTL - 1);
    expect(await gateway.renewClaim(claim, TTL)).toBe(true);
    advance(TTL + 1);
    expect(await gateway.claimChats(CLAIM)).toEqual([]);
    const taken = await claimOne(other, second.owner);
    expect(await gateway.renewClaim(claim, TTL)).toBe(false);
    expect(await gateway.listUnfinished(claim)).toBe('lost');
    expect(await gateway.assignMessages(claim, { turnId: 't1', sessionId: 's0' }, [1])).toBe(false);
    const finished = { messages: [1], state: 'done', outgoing: [outgoing('late')], release: true } as const;
    expect(await gateway.finishWork(claim, finished)).toBe(false);
    await gateway.releaseClaim(claim);
    expect(await gateway.claimChats(CLAIM)).toEqual([]);
    expect(await gateway.figures()).toMatchObject({ waiting: 1, unsent: 0 });
    await other.releaseClaim(taken);
    expect(await gateway.claimChats(CLAIM)).toHaveLength(1);
  });

  verifies('GW-18', 'keep messages whose turn did not end, and say which turn that was', async () => {
    const { gateway, openOther, advance } = await open();
    await gateway.receive([message('1')]);
    expect(idsOf(await take(gateway, await claimOne(gateway), 'first'))).toEqual(['1']);
    advance(TTL + 1);
    const other = await openOther();
    await other.receive([message('2')]);
    expect(await other.getGatewayConversation('a')).toMatchObject({ sessionId: 's0' });
    const claim = await claimOne(other, 'process 2');
    expect(await take(other, claim, 'second')).toMatchObject([
      { externalId: '1', state: 'working', turn: { id: 'first', after: 0 }, attempts: 1 },
      { externalId: '2', state: 'waiting', turn: undefined, attempts: 0 },
    ]);
    await gateway.receive([message('3')]);
    expect(await other.listUnfinished(claim)).toMatchObject([
      { externalId: '1', turn: { id: 'second' }, attempts: 2 },
      { externalId: '2', turn: { id: 'second' }, attempts: 1 },
      { externalId: '3', state: 'waiting' },
    ]);
    const [first] = (await other.listUnfinished(claim)) as InboxMessage[];
    await other.returnMessages(claim, [first?.id ?? 0]);
    expect(await other.listUnfinished(claim)).toMatchObject([
      { externalId: '1', state: 'waiting', turn: { id: 'second' }, attempts: 1 },
      { externalId: '2' },
      { externalId: '3' },
    ]);
  });

  verifies('GW-2', 'finish a turn with its answer and the changes of the chat in one transaction', async () => {
    const { gateway } = await open();
    const held = await hold(gateway);
    await gateway.receive([message('1'), message('2')]);
    const claim = await claimOne(gateway);
    const taken = await take(gateway, claim, 't');
    await gateway.receive([message('3', 'a', { receivedAt: START + 9 })]);
    const changes = { sessionId: 's1', settings: { model: 'm' } };
    const work = { messages: taken.map(({ id }) => id), state: 'done', outgoing: [outgoing('answer')] } as const;
    expect(await gateway.finishWork(claim, { ...work, changes, release: true })).toBe(true);
    expect(await gateway.getGatewayConversation('a')).toMatchObject(changes);
    expect(await gateway.figures()).toMatchObject({ waiting: 1, waitingSince: START + 9, unsent: 1 });
    expect(await gateway.takeOutgoing(held, { now: START, limit: 9 })).toMatchObject([{ id: 'answer', attempts: 1 }]);
    const next = await claimOne(gateway);
    expect(idsOf(await take(gateway, next, 't2'))).toEqual(['3']);
    const idle = { messages: [], state: 'done', outgoing: [], release: false } as const;
    await gateway.finishWork(next, { ...idle, changes: { settings: { taint: 1 } } });
    expect(await gateway.getGatewayConversation('a')).toMatchObject({
      sessionId: 's0',
      settings: { model: 'm', taint: 1 },
    });
    await gateway.finishWork(next, { ...idle, changes: { settings: { model: null } } });
    expect((await gateway.getGatewayConversation('a'))?.settings).toEqual({ taint: 1 });
    expect(await gateway.getGatewayConversation('none')).toBeUndefined();
  });

  verifies('GW-7', 'lose, double and reorder nothing, whatever is delivered and whichever process dies', async () => {
    const { gateway, openOther, advance } = await open();
    const workers = [gateway, await openOther()];
    const action = fc.oneof(
      fc.record({ type: fc.constant('receive' as const), id: fc.nat(30), chat: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ type: fc.constantFrom('work' as const, 'die' as const), worker: fc.nat(1) }),
    );
    const seen = new Map<string, number>();
    const worked: string[] = [];
    let owners = 0;
    const model = fc.array(action, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(model, async (actions) => {
        for (const each of actions) {
          if (each.type === 'receive') {
            const id = `${seen.size}-${each.id}`;
            const stored = await gateway.receive([message(id, each.chat), message(id, each.chat)]);
            expect(stored).toHaveLength(1);
            seen.set(id, seen.size);
          } else await work(workers[each.worker] ?? gateway, each.type);
        }
      }),
      { numRuns: 8 },
    );
    advance(TTL + 1);
    await work(gateway, 'work');
    expect(worked.toSorted()).toEqual([...seen.keys()].toSorted());

    async function work(worker: GatewayStore, how: 'work' | 'die') {
      owners += 1;
      for (const claim of await worker.claimChats({ ...CLAIM, owner: `process ${owners}` })) {
        const taken = await take(worker, claim, `turn-${worked.length}-${how}`);
        if (how === 'die') continue;
        const order = taken.map(({ externalId }) => seen.get(externalId) ?? -1);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        worked.push(...idsOf(taken));
        const messages = taken.map(({ id }) => id);
        expect(await worker.finishWork(claim, { messages, state: 'done', outgoing: [], release: true })).toBe(true);
      }
      if (how === 'die') advance(TTL + 1);
    }
  });
}

function withoutChat({ chat: { key, account }, ...rest }: NewInboxMessage) {
  return { key, account, ...rest };
}

function describeOutbox(open: Open): void {
  const send = async (gateway: GatewayStore, held: HeldAccount, now = START) =>
    (await gateway.takeOutgoing(held, { now, limit: 10 })).map(({ id }) => id);

  verifies('GW-6', 'send each message once, in order within a chat, control messages first', async () => {
    const { gateway } = await open();
    const held = await hold(gateway);
    const notice = outgoing('a0', 'a', { kind: 'notice' });
    await gateway.addOutgoing([notice, outgoing('a1'), outgoing('a2'), outgoing('b1', 'b')]);
    await gateway.addOutgoing([outgoing('a1', 'a', { body: { text: 'again' } })]);
    expect(await send(gateway, held)).toEqual(['a1', 'b1']);
    await gateway.addOutgoing([outgoing('a3', 'a', { kind: 'control' })]);
    expect(await send(gateway, held)).toEqual([]);
    await gateway.settleOutgoing(held, 'a1', { state: 'sent', platformIds: ['77'], at: START });
    expect(await send(gateway, held)).toEqual(['a3']);
    await gateway.settleOutgoing(held, 'a3', { state: 'expired', error: 'too late' });
    expect(await send(gateway, held)).toEqual(['a2']);
    await gateway.settleOutgoing(held, 'a2', { state: 'sent', platformIds: [], at: START });
    await gateway.settleOutgoing(held, 'a2', { state: 'failed', error: 'ignored' });
    expect(await send(gateway, held)).toEqual(['a0']);
    expect(await gateway.figures()).toMatchObject({ unsent: 2, failed: 1 });
  });

  verifies('GW-6', 'find the ids that the platform gave a message, and say whether something is unsent', async () => {
    const { gateway } = await open();
    const held = await hold(gateway);
    expect(await gateway.hasUnsent(held.account)).toBe(false);
    await gateway.addOutgoing([outgoing('a1')]);
    expect(await gateway.hasUnsent(held.account)).toBe(true);
    expect(await gateway.hasUnsent('another')).toBe(false);
    await send(gateway, held);
    expect(await gateway.hasUnsent(held.account)).toBe(true);
    expect(await gateway.findPlatformIds('a1')).toBeUndefined();
    await gateway.settleOutgoing(held, 'a1', { state: 'sent', platformIds: ['77', '78'], at: START });
    expect(await gateway.hasUnsent(held.account)).toBe(false);
    expect(await gateway.findPlatformIds('a1')).toEqual(['77', '78']);
    expect(await gateway.findPlatformIds('unknown')).toBeUndefined();
  });

  verifies('GW-2', 'send again later, and keep later messages of the chat waiting', async () => {
    const { gateway } = await open();
    const held = await hold(gateway);
    await gateway.addOutgoing([outgoing('a1'), outgoing('a2')]);
    expect(await send(gateway, held)).toEqual(['a1']);
    const retry = { state: 'retry', notBefore: START + 3000, error: 'rate limit' } as const;
    await gateway.settleOutgoing(held, 'a1', { ...retry, mayHaveArrived: false });
    expect(await send(gateway, held, START + 2999)).toEqual([]);
    const [again] = await gateway.takeOutgoing(held, { now: START + 3000, limit: 10 });
    expect(again).toMatchObject({ id: 'a1', attempts: 2, mayHaveArrived: false });
    await gateway.settleOutgoing(held, 'a1', { ...retry, mayHaveArrived: true });
    const [third] = await gateway.takeOutgoing(held, { now: START + 3000, limit: 10 });
    expect(third).toMatchObject({ id: 'a1', attempts: 3, mayHaveArrived: true });
  });

  verifies('GW-2', 'mark what a dead process was sending, because it may have arrived', async () => {
    const { gateway, openOther, advance } = await open();
    const held = await hold(gateway);
    await gateway.addOutgoing([outgoing('a1'), outgoing('b1', 'b')]);
    await gateway.takeOutgoing(held, { now: START, limit: 1 });
    advance(TTL + 1);
    const other = await openOther();
    const taken = await hold(other, 'process 2');
    expect(await other.takeOutgoing(taken, { now: START, limit: 10 })).toMatchObject([
      { id: 'a1', attempts: 2, mayHaveArrived: true },
      { id: 'b1', attempts: 1, mayHaveArrived: false },
    ]);
    // The process that was thought dead neither takes nor settles anything.
    expect(await send(gateway, held)).toEqual([]);
    await gateway.settleOutgoing(held, 'a1', { state: 'sent', platformIds: ['1'], at: START });
    expect(await other.figures()).toMatchObject({ unsent: 2 });
  });
}

function describeReports(open: Open): void {
  it('report accounts, chats, deliveries, errors and running turns', async () => {
    const { gateway, advance } = await open();
    const held = await hold(gateway);
    await gateway.receive([message('1', 'a'), message('2', 'b', { receivedAt: START + 5000 })]);
    const claim = await claimOne(gateway);
    await take(gateway, claim, 't1');
    await gateway.addOutgoing([outgoing('x'), outgoing('y', 'b'), outgoing('z', 'c')]);
    for (const { id } of await gateway.takeOutgoing(held, { now: START, limit: 10 })) {
      if (id === 'x') await gateway.settleOutgoing(held, id, { state: 'sent', platformIds: ['9'], at: START + 1000 });
      if (id === 'y') await gateway.settleOutgoing(held, id, { state: 'failed', error: 'blocked \u0000 😀' });
    }
    expect(await gateway.getDeliveries(['x', 'unknown', 'y', 'z'])).toEqual([
      { id: 'x', state: 'sent', error: undefined },
      { id: 'y', state: 'failed', error: 'blocked  😀' },
      { id: 'z', state: 'sending', error: undefined },
    ]);
    const counts = { waiting: 2, unsent: 1, failed: 1 };
    const times = { lastReceivedAt: START + 5000, lastSentAt: START + 1000 };
    expect(await gateway.listAccounts()).toEqual([{ account: ACCOUNT, holder: 'process 1', ...times, ...counts }]);
    expect(await gateway.listSendErrors(5)).toMatchObject([{ key: 'b', attempts: 1, isFinal: true }]);
    expect((await gateway.listGatewayConversations(1)).map(({ key }) => key)).toEqual(['b']);
    expect(await gateway.listWorking(5)).toEqual([{ key: 'a', since: START, attempts: 1, owner: 'process 1' }]);
    advance(TTL + 1000);
    expect(await gateway.listAccounts()).toMatchObject([{ holder: undefined }]);
    expect(await gateway.listWorking(5)).toMatchObject([{ key: 'a', owner: undefined }]);
  });

  it('find the chats in whose sessions messages were stored', async () => {
    const { gateway, store, create } = await open();
    await gateway.receive([message('1', 'a'), message('2', 'b')]);
    expect(await gateway.findNewMessages(0)).toEqual({ newestId: 0, chats: [] });
    for (const id of ['s1', 's2', 's3']) {
      await create(id);
      await store.appendMessages(id, [{ role: 'user', content: id }]);
    }
    for (const claim of await gateway.claimChats(CLAIM)) {
      await take(gateway, claim, 't');
      const sessionId = claim.key === 'a' ? 's1' : 's2';
      await gateway.finishWork(claim, {
        messages: [],
        state: 'done',
        outgoing: [],
        changes: { sessionId },
        release: true,
      });
    }
    const { newestId, chats } = await gateway.findNewMessages(0);
    expect(chats).toEqual([
      { key: 'a', sessionId: 's1' },
      { key: 'b', sessionId: 's2' },
    ]);
    expect(newestId).toBe((await store.getMessages('s3'))[0]?.id);
    await store.appendMessages('s2', [{ role: 'user', content: 'more' }]);
    expect((await gateway.findNewMessages(newestId)).chats).toEqual([{ key: 'b', sessionId: 's2' }]);
  });
}
