import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dose } from '../../../test/support/dose.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import { createLogExcerpt } from './log-excerpt.ts';
import { isFailureLine } from './failure-forms.ts';

function excerptOf(text: string, limit = 50_000, chunk = text.length) {
  const excerpt = createLogExcerpt(limit);
  for (let at = 0; at < text.length; at += Math.max(chunk, 1)) excerpt.push(text.slice(at, at + Math.max(chunk, 1)));
  return excerpt.finish();
}

const passing = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ` ✓ src/part-${from + index}.test.ts (12 tests) 34ms`);

describe('the excerpt of a log', () => {
  verifies('TOOL-6', 'is the beginning, the failures with their details, and the end', () => {
    const failure = [
      ' FAIL  src/math.test.ts > adds',
      'AssertionError: expected 1 to be 2',
      '',
      '- Expected',
      '+ Received',
      '',
      '- 2',
      '+ 1',
      '',
      ' ❯ src/math.test.ts:5:21',
    ];
    const lines = ['> vitest run', ...passing(400), ...failure, ...passing(400, 401), ' Tests  1 failed | 800 passed'];
    const { text = '', omitted = 0, total } = excerptOf(lines.join('\n')) ?? {};
    expect(text).toMatch(/^> vitest run\n ✓ src\/part-1\.test/);
    expect(text).toContain(failure.join('\n'));
    expect(text).toMatch(/ Tests {2}1 failed \| 800 passed$/);
    expect(text.match(/^\[… \d+ lines omitted …\]$/gm)).toHaveLength(2);
    expect(total).toBe(lines.join('\n').length);
    expect(omitted).toBeGreaterThan(25_000);
    expect(text.length).toBeLessThan(6000);
  });

  it('shows the file above a linter error, and a traceback up to its exception', () => {
    const noise = Array.from({ length: 600 }, (_, index) => `collected ${index} items of the project`);
    const traceback = [
      'Traceback (most recent call last):',
      ...Array.from({ length: 30 }, (_, index) => `  File "/a.py", line ${index}, in f`),
      'ValueError: bad value',
    ];
    const lines = [
      ...noise,
      '/src/a.js',
      '  12:5  error  x is not defined  no-undef',
      ...noise,
      ...traceback,
      ...noise,
    ];
    const { text = '' } = excerptOf(lines.join('\n')) ?? {};
    expect(text).toContain('/src/a.js\n  12:5  error  x is not defined');
    expect(text).toContain('Traceback (most recent call last):\n  File "/a.py", line 0');
    expect(text).toContain('ValueError: bad value');
  });

  it('counts the failures that do not fit', () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `src/a.ts(${index},1): error TS2322: no`);
    const { text = '' } = excerptOf(lines.join('\n')) ?? {};
    const [, notice] = /^(\[… \d+ lines omitted, \d+ about failures …\])$/m.exec(text) ?? [];
    expect(notice).toBeDefined();
    const shown = text.split('\n').filter(isFailureLine).length;
    expect(notice).toContain(`… ${2000 - shown} lines omitted, ${2000 - shown} about`);
  });

  it('is not made of a log that is short', () => {
    expect(excerptOf(passing(200).join('\n'))).toBeUndefined();
    expect(excerptOf(passing(60).join('\n'), 2000)?.text.length).toBeLessThanOrEqual(2000);
  });

  it('cuts long lines, and takes a line of any length', () => {
    const text = `${'a'.repeat(50_000)}\n${'b'.repeat(100_000)}`;
    const excerpt = excerptOf(text);
    expect(excerpt?.text).toMatch(/^a{300,400}… \[\+49\d{3} characters\]\nb{300,400}… \[\+99\d{3} characters\]$/);
    expect(excerpt?.omitted).toBeGreaterThan(149_000);
  });

  const word = fc.constantFrom(
    ' ✓ passes',
    'FAIL x',
    'AssertionError: no',
    'not ok 3',
    '',
    '  at file.ts:3',
    '😀'.repeat(300),
    'x'.repeat(1000),
    'plain line',
  );
  const logs = fc
    .array(fc.tuple(word, fc.nat({ max: 60 })), { minLength: 1, maxLength: 60 })
    .map((runs) => runs.flatMap(([line, count]) => Array.from({ length: count }, (_, at) => `${at} ${line}`)));

  verifies('TOOL-6', 'keeps its limit, the order, the first and the last line, and says what it omits', () => {
    fc.assert(
      fc.property(
        logs,
        fc.integer({ min: 1000, max: 60_000 }),
        fc.integer({ min: 1, max: 5000 }),
        (lines, limit, chunk) => {
          const whole = lines.join('\n');
          const excerpt = excerptOf(whole, limit, chunk);
          expect(excerpt === undefined).toBe(whole.length <= Math.min(limit, 12_000));
          if (excerpt === undefined) return;
          expect(excerpt).toEqual(excerptOf(whole, limit));
          expect(excerpt.text.length).toBeLessThanOrEqual(Math.min(limit, 8000));
          let at = 0;
          let shown = 0;
          for (const line of excerpt.text.split('\n')) {
            const gap = /^\[… (\d+) lines? omitted(?:, \d+ about failures)? …\]$/.exec(line)?.[1];
            if (gap !== undefined) {
              at += Number(gap);
              continue;
            }
            const [, start = line, more] = /^(.*)… \[\+(\d+) characters\]$/.exec(line) ?? [];
            expect(lines[at]?.slice(0, start.length)).toBe(start);
            expect(start.length + Number(more ?? 0)).toBe(lines[at]?.length);
            at += 1;
            shown += start.length + 1;
          }
          expect(at).toBe(whole.endsWith('\n') ? lines.length - 1 : lines.length);
          expect(excerpt.omitted).toBe(whole.length - shown + (whole.endsWith('\n') ? 0 : 1));
          expect(excerpt.text.startsWith((lines[0] ?? '').slice(0, 50))).toBe(true);
        },
      ),
      { numRuns: dose(100, 2000) },
    );
  });

  it('takes time in proportion to the log', () => {
    const excerpt = createLogExcerpt(50_000);
    const part = `${passing(1000).join('\n')}\nError: no\n`;
    const started = performance.now();
    for (let times = 0; times < 200; times += 1) excerpt.push(part);
    expect(excerpt.finish()?.total).toBe(part.length * 200);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
