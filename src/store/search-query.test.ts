import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { parseSearchQuery, type SearchNode, wantedTerms } from './search-query.ts';

/** A parsed query in readable form. */
function show(node: SearchNode | undefined): string {
  if (node === undefined) return '';
  if (node.kind === 'term') {
    const words = node.term.parts.map(({ folded }) => folded).join('·');
    return node.term.prefix ? `${words}*` : words;
  }
  if (node.kind === 'not') return `(${show(node.node)} - ${show(node.without)})`;
  return `(${node.nodes.map(show).join(node.kind === 'and' ? ' & ' : ' | ')})`;
}

const understood = (text: string) => show(parseSearchQuery(text));

describe('parsing a query', () => {
  verifies('STORE-4', 'words, phrases, OR, NOT, prefixes and parentheses', () => {
    expect(understood('one')).toBe('one');
    expect(understood('one two')).toBe('(one & two)');
    expect(understood('one AND two')).toBe('(one & two)');
    expect(understood('"one two" three')).toBe('(one·two & three)');
    expect(understood('one two OR three')).toBe('((one & two) | three)');
    expect(understood('one AND two OR three AND four')).toBe('((one & two) | (three & four))');
    expect(understood('one NOT two NOT three')).toBe('(one - (two | three))');
    expect(understood('one NOT two three')).toBe('(one - (two & three))');
    expect(understood('(one OR two) three')).toBe('((one | two) & three)');
    expect(understood('wal* "the wal"*')).toBe('(wal* & the·wal*)');
    expect(understood('or and not')).toBe('(or & and & not)');
  });

  verifies('STORE-4', 'words with hyphens, dots or slashes are phrases of their parts', () => {
    expect(understood('well-known')).toBe('well·known');
    expect(understood('src/store/index.ts')).toBe('src·store·index·ts');
    expect(understood('read_file')).toBe('read·file');
    expect(understood('content:x -minus +plus ^first c++ a*b')).toBe('(content·x & minus & plus & first & c & a·b)');
    expect(understood('NEAR(one two, 3)')).toBe('(near & (one & two & 3))');
  });

  verifies('STORE-4', 'quotation marks, operators and parentheses without a partner are ignored', () => {
    expect(understood('"one two')).toBe('(one & two)');
    expect(understood('one" two')).toBe('(one & two)');
    expect(understood('"one" "two')).toBe('(one & two)');
    expect(understood('AND one OR')).toBe('one');
    expect(understood('NOT one')).toBe('one');
    expect(understood('one OR OR AND NOT two')).toBe('(one | two)');
    expect(understood(')one (two ) three(')).toBe('(one & two & three)');
    for (const nothing of ['', ' ', '"', '""', '()', '*', 'OR', 'AND NOT', '- + ^ ! 😀', '((((', '\0']) {
      expect(parseSearchQuery(nothing)).toBeUndefined();
    }
  });

  verifies('STORE-4', 'unspaced script is distinguished from words, also inside one word', () => {
    const kinds = (text: string) => {
      const node = parseSearchQuery(text);
      return node ? wantedTerms(node).map(({ parts }) => parts.map(({ kind, text: part }) => `${kind} ${part}`)) : [];
    };
    expect(kinds('部署 server')).toEqual([['script 部署'], ['word server']]);
    expect(kinds('iPhone手机壳')).toEqual([['word iPhone', 'script 手机壳']]);
    expect(kinds('カタカナー・ひらがな')).toEqual([['script カタカナー', 'script ひらがな']]);
    expect(kinds('한국어 ภาษาไทย 𠀀')).toEqual([['script 한국어'], ['script ภาษาไทย'], ['script 𠀀']]);
    expect(understood('部署*')).toBe('部署');
  });

  it('ignores case and accents, as the index does', () => {
    expect(understood('Ärger CAFÉ cafe\u0301 İstanbul Ελλάδα')).toBe('(arger & cafe & cafe & istanbul & ελλάδα)');
    // Letters with two diacritics keep them.
    expect(understood('tiếng')).toBe('tiếng');
  });

  describeLimits();
});

function describeLimits(): void {
  it('reads the first 2,048 characters and the first 32 terms', () => {
    expect(understood('x'.repeat(3000))).toHaveLength(2048);
    const node = parseSearchQuery(Array.from({ length: 500 }, (_, number) => `w${number}`).join(' '));
    expect(node && wantedTerms(node)).toHaveLength(32);
  });

  it('handles deep nesting', () => {
    expect(understood(`${'('.repeat(1000)}one${')'.repeat(1000)}`)).toBe('one');
    expect(understood(`${'(a OR '.repeat(100)}b${')'.repeat(100)}`)).toContain('a');
  });

  verifies('STORE-4', 'never throws, and returns words of letters and digits only', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const node = parseSearchQuery(text);
        const parts = node ? wantedTerms(node).flatMap((term) => term.parts) : [];
        for (const { text: part, folded } of parts) {
          // Thai, Burmese and Khmer are searched with their own punctuation.
          const plain = part.replace(/[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/g, 'x');
          expect(plain).toMatch(/^[^\0-\x2f:-@[-`{-\x7f\s\p{P}\p{Cs}]+$/u);
          expect(folded).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });
}

function hostileText(): fc.Arbitrary<string> {
  const pieces = fc.constantFrom(
    '"',
    '(',
    ')',
    '*',
    ' AND ',
    ' OR ',
    ' NOT ',
    'NEAR',
    ':',
    '-',
    '\0',
    '\ud800',
    '部署',
    'ไทย',
    'a',
    ' ',
  );
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 60 }).map((list) => list.join('')),
  );
}
