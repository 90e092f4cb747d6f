import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createFakeClock } from '../testing/index.ts';
import { createNoticeRateLimiter, createOutputWatch, type NoticeRateLimiter } from './output-watch.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

const settle = async () => {
  for (let at = 0; at < 3; at += 1) await new Promise(setImmediate);
};

function createWatch(
  patterns: string[],
  parts: { clock?: ReturnType<typeof createFakeClock>; limit?: NoticeRateLimiter } = {},
) {
  const clock = parts.clock ?? createFakeClock();
  const notices: string[] = [];
  const reasons: string[] = [];
  const watch = createOutputWatch({
    patterns,
    clock,
    limit: parts.limit ?? createNoticeRateLimiter(clock),
    notify: (text) => notices.push(text),
    onDisabled: (reason) => reasons.push(reason),
  });
  const push = async (text: string) => {
    watch.push(text);
    await settle();
  };
  return { watch, clock, notices, reasons, push };
}

describe('createOutputWatch', () => {
  it('matches lines that arrive in chunks, and a last line without a line break', async () => {
    const { notices, push, watch, clock } = createWatch(['ERROR']);
    await push('fine\nan ERR');
    expect(notices).toEqual([]);
    await push('OR here\nfine again\n');
    expect(notices).toEqual(['an ERROR here']);
    clock.advance(15_000);
    await push('ERROR at the end');
    await watch.end();
    expect(notices.slice(1)).toEqual(['ERROR at the end']);
  });

  verifies(
    'TOOL-6',
    'notifies once per 15 s, and stops watching if every interval has suppressed matches',
    async () => {
      const { notices, reasons, push, clock } = createWatch(['x']);
      for (let round = 0; round < 4; round += 1) {
        await push('x 1\n');
        await push('x 2\nx 3\n');
        clock.advance(15_000);
      }
      expect(notices).toEqual([
        'x 1',
        'x 1\n(2 earlier matching lines omitted)',
        'x 1\n(2 earlier matching lines omitted)',
      ]);
      expect(reasons).toEqual(['they matched too often']);
      clock.advance(60_000);
      await push('x 9\n');
      expect(notices).toHaveLength(3);
    },
  );

  it('resets the count after an interval without suppressed matches', async () => {
    const { notices, reasons, push, clock } = createWatch(['x']);
    for (let round = 0; round < 8; round += 1) {
      await push('x\n');
      if (round % 3 === 0) await push('x\n');
      clock.advance(15_000);
    }
    expect([notices.length, reasons]).toEqual([8, []]);
  });

  verifies('TOOL-6', 'sends at most 15 notices in 10 s for all processes together, then pauses', async () => {
    const clock = createFakeClock();
    const limit = createNoticeRateLimiter(clock);
    const watches = Array.from({ length: 16 }, () => createWatch(['x'], { clock, limit }));
    for (const { push } of watches) await push('x\n');
    expect(watches.map(({ notices }) => notices.length)).toEqual([...Array.from({ length: 15 }, () => 1), 0]);
    clock.advance(20_000);
    await watches[15]?.push('x\n');
    expect(watches[15]?.notices).toEqual([]);
    clock.advance(10_001);
    await watches[15]?.push('x\n');
    expect(watches[15]?.notices).toEqual(['x\n(2 earlier matching lines omitted)']);
  });

  it('matches lines with regular expressions and literal texts, in the order of the output', async () => {
    const { notices, watch } = createWatch(['/^b+$/i', 'plain']);
    watch.push('a\nBB\nbbc\na plain one\nb');
    await watch.end();
    expect(notices).toEqual(['BB\na plain one']);
  });

  verifies(
    'TOOL-7',
    'stops a regular expression that times out, without blocking the event loop',
    fullDoseOnly,
    async () => {
      const { reasons, watch } = createWatch(['/^(a+)+$/']);
      watch.push(`${'a'.repeat(60)}!\n`);
      let turns = 0;
      const timer = setInterval(() => (turns += 1), 1);
      await watch.end();
      clearInterval(timer);
      expect(turns).toBeGreaterThan(20);
      expect(reasons).toEqual(['a regular expression timed out']);
    },
  );
});
