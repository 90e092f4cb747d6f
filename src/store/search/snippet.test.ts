import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { parseSearchQuery, wantedTerms } from '../search-query.ts';
import { matchesQuery, findTerm } from './find-term.ts';
import { foldText } from './text.ts';
import { makeSnippet } from './snippet.ts';

function snippet(text: string, query: string): string {
  const node = parseSearchQuery(query);
  const folded = foldText(text);
  const matches = (node ? wantedTerms(node) : []).flatMap((term, number) =>
    findTerm(folded.text, term, 100).map(({ start, end }) => ({
      start: folded.origin(start),
      end: folded.origin(end),
      term: number,
    })),
  );
  return makeSnippet(text, matches);
}

const isAnswer = (text: string, query: string) => {
  const node = parseSearchQuery(query);
  return node !== undefined && matchesQuery(foldText(text).text, node);
};

describe('snippets', () => {
  verifies('STORE-4', 'mark every match in the original text', () => {
    expect(snippet('The Walrus and the walruses', 'walrus')).toBe('The >>>Walrus<<< and the walruses');
    expect(snippet('The Walrus and the walruses', 'wal*')).toBe('The >>>Walrus<<< and the >>>walruses<<<');
    expect(snippet('un café, deux cafe\u0301s', 'cafe cafes')).toBe('un >>>café<<<, deux >>>cafe\u0301s<<<');
    expect(snippet('see src/store/index.ts.', 'store/index')).toBe('see src/>>>store/index<<<.ts.');
    expect(snippet('我们部署服务器', '部署')).toBe('我们>>>部署<<<服务器');
    expect(snippet('aaa', '"a a"')).toBe('aaa');
    expect(snippet('nothing here', 'elsewhere')).toBe('nothing here');
  });

  it('show about forty words around the place with the most terms', () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(60);
    const text = `${filler}one ${filler}one two ${filler}`;
    const shown = snippet(text, 'one two');
    expect(shown).toContain('>>>one<<< >>>two<<<');
    expect(shown.startsWith('…') && shown.endsWith('…')).toBe(true);
    expect(shown.split(/\s+/).length).toBeGreaterThan(30);
    expect(shown.split(/\s+/).length).toBeLessThan(60);
    const chinese = snippet(`${'长文本内容'.repeat(100)}目标${'长文本内容'.repeat(100)}`, '目标');
    expect(chinese).toContain('>>>目标<<<');
    expect(chinese.length).toBeLessThan(120);
  });

  it('never split a character, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), fc.string({ maxLength: 5 }), (text, query) => {
        const whole = text.toWellFormed();
        const shown = snippet(`${whole} needle ${whole}`, `needle ${query}`);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).toContain('needle');
      }),
    );
  });
});

describe('comparing a text with a query', () => {
  it('matches whole words', () => {
    expect(isAnswer('a walrus', 'walrus')).toBe(true);
    expect(isAnswer('walruses', 'walrus')).toBe(false);
    expect(isAnswer('用walrus来', 'walrus')).toBe(true);
    expect(isAnswer('one, two', '"one two"')).toBe(true);
    expect(isAnswer('one and two', '"one two"')).toBe(false);
    expect(isAnswer('one two', 'one NOT three')).toBe(true);
    expect(isAnswer('one two', 'one NOT tw*')).toBe(false);
    expect(isAnswer('one', 'two OR (one three) OR o*')).toBe(true);
    expect(isAnswer('用iPhone手机', 'iphone手机')).toBe(true);
    expect(isAnswer('用iPhone的手机', 'iphone手机')).toBe(false);
  });
});
