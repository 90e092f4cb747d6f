import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose, fullDoseOnly } from '../../../test/support/dose.ts';
import { openForTest, startChild, temporaryFile, withDatabase } from './fixtures.ts';

const PROCESSES = dose(2, 16);
const MESSAGES = dose(50, 500);
const HELD_SECONDS = dose(1, 10);

describe('several processes on one file', () => {
  verifies(
    ['STORE-1', 'STORE-2'],
    `${PROCESSES} of them create the file and write concurrently: everything is stored, in order, without an error`,
    async () => {
      const file = temporaryFile();
      const ids = Array.from({ length: PROCESSES }, (_, number) => `session-${number}`);
      const ends = await Promise.all(ids.map((id) => startChild('append', file, id, `${MESSAGES}`).ended));
      expect(ends.map(({ errors }) => errors)).toEqual(ids.map(() => ''));
      const store = await openForTest({ file });
      for (const id of ids) {
        const expected = Array.from({ length: MESSAGES }, (_, number) => ({
          role: 'user',
          content: `${id} ${number}`,
        }));
        expect(await store.getConversation(id)).toEqual(expected);
        expect((await store.getSession(id))?.messageCount).toBe(MESSAGES);
      }
      const check = withDatabase(file, (database) => database.prepare('PRAGMA integrity_check').all());
      expect(check).toEqual([{ integrity_check: 'ok' }]);
    },
    120_000,
  );

  verifies(
    'STORE-2',
    `a lock held for ${HELD_SECONDS} seconds is waited for without blocking timers, and the order is kept`,
    async () => {
      const file = temporaryFile();
      const store = await openForTest({ file });
      await store.createSession({ id: 'one', source: 'cli', startedAt: Date.now() });
      const holder = startChild('hold', file);
      await holder.line(1);

      let done = false;
      const contents = ['first', 'second', 'third'];
      const appends = Promise.all(contents.map((content) => store.appendMessages('one', [{ role: 'user', content }])));
      void appends.then(() => (done = true));
      const ticks = await countTicks(HELD_SECONDS * 1000);
      expect(done).toBe(false);
      // Each wait in the driver blocks the event loop for at most 15 ms; if all the waiting happened there, hardly
      // any tick would be counted.
      expect(ticks).toBeGreaterThan(25 * HELD_SECONDS);
      holder.process.stdin?.write('release\n');
      await appends;
      expect((await store.getConversation('one')).map(({ content }) => content)).toEqual(contents);
      expect((await holder.ended).errors).toBe('');
    },
  );

  it('reads while another process holds the lock', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: Date.now() });
    await store.appendMessages('one', [{ role: 'user', content: 'x' }]);
    const holder = startChild('hold', file);
    await holder.line(1);
    const again = await openForTest({ file });
    expect(await again.getConversation('one')).toEqual([{ role: 'user', content: 'x' }]);
    holder.process.stdin?.write('release\n');
    await holder.ended;
  });
});

describe('a process that is killed', () => {
  verifies('LOOP-11', 'keeps every message that it reported as stored', fullDoseOnly, async () => {
    for (const moment of [1, 7, 60, 155]) {
      const file = temporaryFile();
      const child = startChild('append', file, 'one', '1000000');
      await child.line(moment);
      child.process.kill('SIGKILL');
      const { lines } = await child.ended;
      const store = await openForTest({ file });
      const stored = (await store.getConversation('one')).map(({ content }) => content);
      expect(lines.length).toBeGreaterThanOrEqual(moment);
      // The killed process may have stored one more message than it reported.
      expect([lines.length, lines.length + 1]).toContain(stored.length);
      expect(stored).toEqual(stored.map((_, number) => `one ${number}`));
      expect((await store.getSession('one'))?.messageCount).toBe(stored.length);
      await store.appendMessages('one', [{ role: 'user', content: 'and on' }]);
    }
  });
});

/** How many 10 ms timers fire within a time. */
async function countTicks(milliseconds: number): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 10);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  clearInterval(timer);
  return ticks;
}
