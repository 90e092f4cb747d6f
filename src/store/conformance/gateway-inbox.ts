import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { ChatClaim, GatewayStore, InboxMessage, NewInboxMessage } from '../../contracts/index.ts';
import {
  chat,
  CLAIM,
  claimOne,
  hold,
  idsOf,
  message,
  type OpenGateway,
  outgoing,
  take,
  TTL,
} from './gateway-harness.ts';
import { START } from './store-harness.ts';

/** Receiving messages, claiming chats and finishing turns. */
export function describeInbox(open: OpenGateway): void {
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

  verifies('GW-3', 'claim only chats with a waiting command on request', async () => {
    const { gateway } = await open();
    const command = (id: string, key: string, text: string) => message(id, key, { body: { content: { text } } });
    await gateway.receive([message('1', 'a'), command('2', 'b', 'say /stop'), command('3', 'c', '/stop \u0000 😀')]);
    const [claim, ...others] = await gateway.claimChats({ ...CLAIM, onlyCommands: true });
    expect([claim?.key, others]).toEqual(['c', []]);
    await take(gateway, claim as ChatClaim, 't');
    await gateway.releaseClaim(claim as ChatClaim);
    // The command belongs to a turn now.
    expect(await gateway.claimChats({ ...CLAIM, onlyCommands: true })).toEqual([]);
    expect(await gateway.claimChats(CLAIM)).toHaveLength(3);
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
