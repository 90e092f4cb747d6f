import { describe, expect, it } from 'vitest';
import type { Clock } from '../base/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { type Conversation, createConversationPool } from './index.ts';

/** Counts opened and closed conversations; the pool calls nothing else. */
function countingConversations() {
  const log: string[] = [];
  const open = async (key: string) => {
    log.push(`open ${key}`);
    return { key, close: async () => void log.push(`close ${key}`) } as unknown as Conversation;
  };
  return { log, open };
}

/** A clock whose sleeps end when the test advances the time. */
function createManualClock(): Clock & { advance(milliseconds: number): Promise<void> } {
  let now = 0;
  let sleeping: { until: number; wake(): void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const entry = { until: now + milliseconds, wake: resolve };
        sleeping.push(entry);
        signal?.addEventListener('abort', () => {
          sleeping = sleeping.filter((other) => other !== entry);
          reject(signal.reason as Error);
        });
      }),
    async advance(milliseconds) {
      now += milliseconds;
      const due = sleeping.filter(({ until }) => until <= now);
      sleeping = sleeping.filter((entry) => !due.includes(entry));
      for (const { wake } of due) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('the conversation pool', () => {
  it('opens a conversation once, keeps it for the idle time, and closes it', async () => {
    const { log, open } = countingConversations();
    const clock = createManualClock();
    const pool = createConversationPool({ open, clock, idleMs: 1_000 });
    await Promise.all([pool.use('a', async () => 1), pool.use('a', async () => 2)]);
    expect(log).toEqual(['open a']);
    await clock.advance(999);
    await pool.use('a', async () => 3);
    await clock.advance(999);
    expect(pool.get('a')?.key).toBe('a');
    await clock.advance(1);
    expect(pool.size).toBe(0);
    expect(log).toEqual(['open a', 'close a']);
  });

  it('never closes a conversation that is in use, and limits how many are', async () => {
    const { log, open } = countingConversations();
    const clock = createManualClock();
    const pool = createConversationPool({ open, clock, idleMs: 10, maxInUse: 1 });
    const gate = Promise.withResolvers<void>();
    const first = pool.use('a', () => gate.promise);
    const second = pool.use('b', async () => undefined);
    await clock.advance(100);
    expect(log).toEqual(['open a']);
    gate.resolve();
    await Promise.all([first, second]);
    expect(log).toEqual(['open a', 'open b']);
    await pool.close();
    expect(log.slice(2).toSorted()).toEqual(['close a', 'close b']);
    await expect(pool.use('c', async () => undefined)).rejects.toThrow(/closed/);
  });

  it('drops a conversation that could not be opened, so that the next attempt opens it', async () => {
    let tries = 0;
    const pool = createConversationPool({
      clock: createFakeClock(),
      async open(key) {
        tries += 1;
        if (tries === 1) throw new Error('the database is away');
        return { key, close: async () => undefined } as unknown as Conversation;
      },
    });
    await expect(pool.use('a', async () => 1)).rejects.toThrow('away');
    expect(await pool.use('a', async () => 2)).toBe(2);
    await pool.close();
  });

  it('opens a conversation again only after the previous one is closed', async () => {
    const log: string[] = [];
    const closed = Promise.withResolvers<void>();
    const open = async (key: string) => {
      log.push('open');
      const close = () => closed.promise.then(() => void log.push('closed'));
      return { key, close } as unknown as Conversation;
    };
    const clock = createManualClock();
    const pool = createConversationPool({ open, clock, idleMs: 1_000 });
    await pool.use('a', async () => undefined);
    await clock.advance(1_000);
    const next = pool.use('a', async () => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['open']);
    closed.resolve();
    await next;
    expect(log).toEqual(['open', 'closed', 'open']);
    await pool.close();
  });
});
