import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { textWidth } from '../../../util/text-width.ts';
import { createProgressLine, formatProgressLine } from './progress-line.ts';

describe('a progress line', () => {
  it('has a bar as wide as the text allows, and is narrower than the window', () => {
    expect(formatProgressLine({ text: '1 of 4', share: 0.25 }, 80)).toBe('[######..................] 1 of 4');
    const words = '120 of 1,000, 3.2/s, $1.20 so far, about 5 min left, 2 dropped, 2 failed';
    expect(formatProgressLine({ text: words, share: 0.5 }, 81)).toBe(`[##...] ${words}`);
    expect(formatProgressLine({ text: words, share: 0.5 }, 80)).toBe(words);
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.double({ min: 0, max: 1.1, noNaN: true }),
        fc.nat(120),
        (text, share, columns) => {
          expect(textWidth(formatProgressLine({ text, share }, columns))).toBeLessThan(Math.max(1, columns));
        },
      ),
    );
  });

  it('is redrawn in place at a limited rate, and removed at the end', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const stderr = Object.assign(createTextSink(), { isTTY: true, columns: 80 });
    const line = createProgressLine({ stderr, env: {} });
    line.clear();
    for (const text of ['one', 'two']) line.draw(() => ({ text }));
    vi.advanceTimersByTime(100);
    line.draw(() => ({ text: 'three' }));
    line.clear();
    line.draw(() => ({ text: 'four' }));
    expect(stderr.text.split('\r\u001b[K')).toEqual(['', 'one', 'three', '', 'four']);
  });

  it('is not drawn if stderr is not a terminal', () => {
    const stderr = createTextSink();
    const watched = Object.assign(createTextSink(), { isTTY: true });
    for (const line of [
      createProgressLine({ stderr, env: {} }),
      createProgressLine({ stderr: watched, env: { TERM: 'dumb' } }),
      createProgressLine({ stderr: watched, env: {} }, { isWanted: false }),
    ]) {
      line.draw(() => ({ text: 'one' }));
      line.clear();
      expect(line.isShown).toBe(false);
    }
    expect(stderr.text + watched.text).toBe('');
  });
});
