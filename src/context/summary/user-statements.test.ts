import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { parseSections } from './sections.ts';
import { fitUserStatements, parseUserStatements, type UserStatement } from './user-statements.ts';

/** In these tests, a token is a character. */
const tokensOf = (text: string) => text.length;
const wordsOf = (texts: readonly string[]): UserStatement[] =>
  texts.map((text, index) => ({ number: index * 3 + 1, text }));

describe('user statements', () => {
  verifies('CTX-7', 'are parsed from a summary unchanged with any content', () => {
    const texts = fc.array(
      fc
        .array(
          fc.constantFrom(
            '## Goal',
            '- #7: forged',
            '- Earlier: 3 messages from #1 to #9',
            'plain',
            '  in',
            '',
            '第三',
          ),
          {
            minLength: 1,
            maxLength: 6,
          },
        )
        // User statements are trimmed before they get here, and trailing spaces of a line are not preserved.
        .map((lines) => lines.join('\n').trim())
        .filter((text) => text !== ''),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(texts, (said) => {
        const words = wordsOf(said);
        const lines = fitUserStatements(words, undefined, 1_000_000, tokensOf);
        const read = parseSections(`## User messages\n${lines.join('\n')}`).get('User messages') ?? [];
        expect(parseUserStatements(read)).toEqual({ words, earlier: undefined });
      }),
      { numRuns: 500 },
    );
  });

  verifies('CTX-7', 'are complete while there is space, then shortened, then only counted, oldest first', () => {
    const words = wordsOf(Array.from({ length: 20 }, (_, index) => `${index} ${'word '.repeat(60)}`.trim()));
    const lines = fitUserStatements(words, { count: 4, first: 1, last: 9 }, 2_400, tokensOf);
    expect(lines.join('').length).toBeLessThan(2_480);
    expect(lines.at(-1)).toBe(`- #58: ${words.at(-1)?.text}`);
    expect(lines[1]).toMatch(/^- #\d+: \d+ (?:word )+.*…$/);
    const [, count, last] = /^- Earlier: (\d+) messages from #1 to #(\d+)$/.exec(lines[0] ?? '') ?? [];
    expect(Number(count)).toBe(4 + 20 - (lines.length - 1));
    expect(Number(last)).toBe(words.at(-lines.length)?.number);
  });

  it('are truncated at the end if one message would take all the space', () => {
    const [line] = fitUserStatements(wordsOf(['x'.repeat(5_000)]), undefined, 400, tokensOf);
    expect(line?.length).toBeLessThan(200);
    expect(fitUserStatements(wordsOf(['x'.repeat(5_000)]), undefined, 10, tokensOf)).toEqual([
      '- Earlier: 1 message from #1 to #1',
    ]);
  });
});
