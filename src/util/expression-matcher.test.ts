import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createExpressionMatcher } from './expression-matcher.ts';

const EXPLODING = { source: '^(a+)+$', flags: '' };
const TRAP = `${'a'.repeat(60)}!`;

describe('createExpressionMatcher', () => {
  it('matches the same lines in its thread as a plain regular expression does', async () => {
    const expressions = [/a+b?/i, /^c{2}/u, /x/];
    const matcher = createExpressionMatcher(expressions);
    const line = fc.string({ unit: fc.constantFrom('a', 'B', 'c', 'x', ' ', 'ü', '\r') });
    await fc.assert(
      fc.asyncProperty(fc.array(line), async (lines) => {
        const expected = lines.flatMap((text, at) => (expressions.some((one) => one.test(text)) ? [at] : []));
        expect(await matcher.match(lines)).toEqual(expected);
      }),
    );
    matcher.close();
  });

  verifies('TOOL-7', 'does not block the process during catastrophic backtracking, and terminates it', async () => {
    const matcher = createExpressionMatcher([EXPLODING], { timeoutMs: 300 });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const answers = await Promise.all([matcher.match([TRAP]), matcher.match(['b', 'aa'])]);
    clearInterval(timer);
    // The first request timed out, so the request queued after it runs in a new thread.
    expect(answers).toEqual([undefined, [1]]);
    expect(turns).toBeGreaterThan(20);
    matcher.close();
  });

  it('starts a new thread after the previous one was idle or closed', async () => {
    const matcher = createExpressionMatcher([/a+/], { idleMs: 1 });
    expect(await matcher.match(['b', 'a'])).toEqual([1]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await matcher.match(['a', 'b'])).toEqual([0]);
    matcher.close();
    expect(await matcher.match(['', 'a'])).toEqual([1]);
    matcher.close();
  });

  it('needs no thread for expressions that cannot backtrack', async () => {
    const matcher = createExpressionMatcher([/abc|^x$/]);
    const begun = performance.now();
    expect(await matcher.match(['1abc', 'y', 'x', ''])).toEqual([0, 2]);
    expect(await matcher.match([])).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
