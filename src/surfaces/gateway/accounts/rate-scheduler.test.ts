import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { ChannelError } from '../../../contracts/index.ts';
import { createFakeClock } from '../../../testing/index.ts';
import { type CallPriority, createRateScheduler } from './rate-scheduler.ts';

const RATES = {
  account: { count: 30, perMs: 1000 },
  chat: { count: 1, perMs: 1000 },
  group: { count: 20, perMs: 60_000 },
};

function open(rates = RATES) {
  const clock = createFakeClock();
  const scheduler = createRateScheduler(rates, clock);
  const begun = clock.now();
  const calls: { name: string; at: number }[] = [];
  const call = (name: string, chatId = 'a', priority: CallPriority = 'final', run?: () => Promise<string>) =>
    scheduler.schedule({
      chatId,
      isGroup: chatId.startsWith('-'),
      priority,
      run() {
        calls.push({ name, at: clock.now() - begun });
        return run?.() ?? Promise.resolve(name);
      },
    });
  return { clock, scheduler, calls, call };
}

const limited = (retryAfterMs: number) => async () => {
  throw new ChannelError('rate_limited', 'too many requests', { retryAfterMs });
};

describe('the rate scheduler', () => {
  verifies('GW-29', 'keeps the limits of a chat, of a group and of the account', async () => {
    const { calls, call } = open();
    await Promise.all([call('1'), call('2'), call('3'), call('b', 'b')]);
    expect(calls).toEqual([
      { name: '1', at: 0 },
      { name: 'b', at: 0 },
      { name: '2', at: 1000 },
      { name: '3', at: 2000 },
    ]);
    const timesOf = async (names: string[], chatOf: (name: string) => string) => {
      await Promise.all(names.map((name) => call(name, chatOf(name))));
      const times = calls.filter(({ name }) => names.includes(name)).map(({ at }) => at);
      return times.map((at) => Math.round(at - (times[0] ?? 0)));
    };
    const account = await timesOf(
      Array.from({ length: 40 }, (_, index) => `c${index}`),
      (name) => name,
    );
    expect(account.filter((at) => at === 0).length).toBeLessThanOrEqual(30);
    expect(account.filter((at) => at <= 1000)).toHaveLength(40);
    const group = await timesOf(
      Array.from({ length: 22 }, (_, index) => `g${index}`),
      () => '-1',
    );
    expect(group[19]).toBeLessThan(1000);
    expect(group.slice(20)).toEqual([3000, 6000]);
  });

  verifies('GW-29', 'starts important calls first and merges those of which only the newest counts', async () => {
    const { calls, call } = open();
    await call('first');
    const all = [
      call('typing', 'a', 'typing'),
      call('edit 1', 'a', 'edit'),
      call('question', 'a', 'question'),
      call('edit 2', 'a', 'edit'),
      call('final'),
      call('stop', 'a', 'control'),
    ];
    expect(await Promise.all(all)).toEqual(['typing', 'dropped', 'question', 'edit 2', 'final', 'stop']);
    expect(calls.map(({ name }) => name)).toEqual(['first', 'stop', 'final', 'question', 'edit 2', 'typing']);
  });

  verifies('GW-29', 'leaves a chat alone as long as the platform says, and does not slow others', async () => {
    const { calls, call } = open();
    await expect(call('1', 'a', 'final', limited(3000))).rejects.toThrow('too many requests');
    const waiting = [call('2'), call('other', 'b')];
    expect(await call('edit', 'a', 'edit')).toBe('dropped');
    await Promise.all(waiting);
    expect(calls).toEqual([
      { name: '1', at: 0 },
      { name: 'other', at: 0 },
      { name: '2', at: 3000 },
    ]);
  });

  it('passes errors on and forgets idle chats', async () => {
    const { scheduler, call } = open();
    await expect(call('x', 'a', 'final', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(scheduler.waiting).toBe(0);
  });
});
