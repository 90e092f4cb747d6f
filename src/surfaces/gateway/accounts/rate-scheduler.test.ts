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

  verifies('GW-29', 'never lets a message wait for edits, and lets edits wait for messages', async () => {
    const { calls, call } = open();
    await Promise.all([call('edit', 'a', 'edit'), call('final'), call('progress', 'a', 'progress')]);
    expect(calls).toEqual([
      { name: 'edit', at: 0 },
      { name: 'final', at: 0 },
      { name: 'progress', at: 2000 },
    ]);
  });

  verifies('GW-29', 'merges only calls about the same subject', async () => {
    const { scheduler, call } = open();
    await call('first');
    const edit = (subject: string) =>
      scheduler.schedule({ chatId: 'a', isGroup: false, priority: 'edit', subject, run: async () => subject });
    expect(await Promise.all([edit('turn 1'), edit('turn 2'), edit('turn 1')])).toEqual([
      'dropped',
      'turn 2',
      'turn 1',
    ]);
  });

  verifies(
    'GW-29',
    'counts a call that is no message only for the account, but leaves a closed chat alone',
    async () => {
      const { scheduler, clock, calls, call } = open();
      await call('final');
      const begun = clock.now();
      const acknowledge = () =>
        scheduler.schedule({
          chatId: 'a',
          isGroup: false,
          priority: 'control',
          isCounted: false,
          run: async () => clock.now() - begun,
        });
      expect(await acknowledge()).toBe(0);
      await expect(call('1', 'a', 'final', limited(3000))).rejects.toThrow('too many requests');
      expect(await acknowledge()).toBe(4000);
      expect(calls).toHaveLength(2);
    },
  );

  it('drops a call whose signal is aborted before it starts', async () => {
    const { scheduler, call } = open();
    await call('first');
    const stop = new AbortController();
    const { signal } = stop;
    const run = async () => 'ran';
    const waiting = scheduler.schedule({ chatId: 'a', isGroup: false, priority: 'edit', signal, run });
    stop.abort();
    expect(await waiting).toBe('dropped');
    expect(await scheduler.schedule({ chatId: 'b', isGroup: false, priority: 'edit', signal, run })).toBe('dropped');
    expect(scheduler.waiting).toBe(0);
  });

  it('does not depend on the system time', async () => {
    const clock = createFakeClock();
    let offset = 0;
    const scheduler = createRateScheduler(RATES, {
      ...clock,
      now: () => clock.now() + offset,
      monotonic: () => clock.now(),
    });
    const call = () =>
      scheduler.schedule({ chatId: 'a', isGroup: false, priority: 'final', run: async () => clock.now() });
    const begun = await call();
    offset = -3_600_000;
    const times = await Promise.all([call(), call()]);
    expect(times.map((at) => Number(at) - Number(begun))).toEqual([1000, 2000]);
  });

  it('passes errors on and forgets idle chats', async () => {
    const { scheduler, call } = open();
    await expect(call('x', 'a', 'final', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(scheduler.waiting).toBe(0);
  });
});
