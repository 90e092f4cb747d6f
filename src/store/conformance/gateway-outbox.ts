import { expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type GatewayStore, type HeldAccount, MAX_SEND_WAIT_MS } from '../../contracts/index.ts';
import { hold, type OpenGateway, outgoing, TTL } from './gateway-harness.ts';
import { START } from './store-harness.ts';

/** Sending messages once and in order. */
export function describeOutbox(open: OpenGateway): void {
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

  verifies('GW-2', 'do not wait for hours because a clock was set back', async () => {
    const { gateway } = await open();
    const held = await hold(gateway);
    await gateway.addOutgoing([outgoing('a1')]);
    expect(await send(gateway, held)).toEqual(['a1']);
    const retry = { state: 'retry', notBefore: START + MAX_SEND_WAIT_MS, error: 'x', mayHaveArrived: false } as const;
    await gateway.settleOutgoing(held, 'a1', retry);
    expect(await send(gateway, held)).toEqual([]);
    expect(await send(gateway, held, START - 1000)).toEqual(['a1']);
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
