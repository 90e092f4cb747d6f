import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { ACCOUNT, CLAIM, claimOne, hold, message, type OpenGateway, outgoing, take, TTL } from './gateway-harness.ts';
import { describeInbox } from './gateway-inbox.ts';
import { describeOutbox } from './gateway-outbox.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

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

function describeReports(open: OpenGateway): void {
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
