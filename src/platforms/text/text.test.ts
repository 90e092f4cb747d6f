import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fromMarkdown } from './from-markdown.ts';
import { markdownTexts } from '../../testing/channel-suite/markdown-texts.ts';
import { lengthIn, splitStyled } from './split.ts';
import { forEachRun, type StyledText } from './styled-text.ts';

const describeStyled = ({ text, spans }: StyledText) =>
  spans.map(({ from, to, style }) => [style.kind, text.slice(from, to)]);

describe('fromMarkdown', () => {
  it.each([
    [
      '**a _b_** c',
      'a b c',
      [
        ['bold', 'a b'],
        ['italic', 'b'],
      ],
    ],
    ['# Title\n\ntext', 'Title\n\ntext', [['bold', 'Title']]],
    ['```ts\nlet a;\n```', 'let a;', [['block', 'let a;']]],
    ['- a\n- b\n  - c', '• a\n• b\n  • c', []],
    ['3. a\n4. **b**', '3. a\n4. b', [['bold', 'b']]],
    ['- [x] a\n- [ ] b', '☑ a\n☐ b', []],
    ['> a\n> b', 'a\nb', [['quote', 'a\nb']]],
    ['[a](https://x.y) [b](javascript:1)', 'a b', [['link', 'a']]],
    ['|a|bb|\n|-|-|\n|ccc|d|', 'a    bb\n---  --\nccc  d', [['block', 'a    bb\n---  --\nccc  d']]],
    ['a  \nb\\*c &amp; d', 'a\nb*c & d', []],
    [
      '- a **b**\n  c **d**',
      '• a b\n  c d',
      [
        ['bold', 'b'],
        ['bold', 'd'],
      ],
    ],
  ])('converts %j', (source, text, spans) => {
    const made = fromMarkdown(source);
    expect(made.text).toBe(text);
    expect(describeStyled(made)).toEqual(spans);
  });

  verifies('GW-30', 'produces valid spans from any text', () => {
    fc.assert(
      fc.property(markdownTexts(fc), (source) => {
        const { text, spans } = fromMarkdown(source);
        for (const { from, to } of spans) expect(0 <= from && from < to && to <= text.length).toBe(true);
        for (const outer of spans)
          for (const inner of spans)
            expect(outer.from < inner.from && inner.from < outer.to && outer.to < inner.to).toBe(false);
        let joined = '';
        forEachRun({ text, spans }, (run) => (joined += run));
        expect(joined).toBe(text);
      }),
    );
  });
});

describe('splitStyled', () => {
  verifies('GW-30', 'splits any text into pieces that fit and whose joined text is the text', () => {
    const units = fc.constantFrom('utf16' as const, 'codePoints' as const, 'bytes' as const);
    fc.assert(
      fc.property(markdownTexts(fc), units, fc.integer({ min: 8, max: 60 }), (source, unit, limit) => {
        const whole = fromMarkdown(source);
        // Formatting needs space too.
        const measure = ({ text, spans }: StyledText) => lengthIn(unit, text) + Math.min(spans.length, 2);
        const pieces = splitStyled(whole, limit, measure);
        expect(pieces.map(({ text }) => text).join('')).toBe(whole.text);
        for (const piece of pieces) {
          expect(measure(piece)).toBeLessThanOrEqual(limit);
          expect(piece.text).not.toBe('');
        }
        if (whole.text.isWellFormed()) expect(pieces.every(({ text }) => text.isWellFormed())).toBe(true);
      }),
    );
  });

  it('prefers the end of a paragraph, a line, a sentence and a word', () => {
    const split = (text: string, limit: number) =>
      splitStyled(fromMarkdown(text), limit, (piece) => piece.text.length).map((piece) => piece.text);
    expect(split('one two three\n\nfour five', 20)).toEqual(['one two three\n\n', 'four five']);
    expect(split('One two. Three four', 14)).toEqual(['One two. ', 'Three four']);
    expect(split('one two three', 9)).toEqual(['one two ', 'three']);
    expect(split('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('fills pieces with text that consists of combining marks', () => {
    const pieces = splitStyled(fromMarkdown('\u0301'.repeat(1000)), 100, (piece) => piece.text.length);
    expect(pieces).toHaveLength(10);
  });

  it('continues a style in the next piece', () => {
    const pieces = splitStyled(fromMarkdown('**one two three**'), 8, (piece) => piece.text.length);
    expect(pieces.map(describeStyled)).toEqual([[['bold', 'one two ']], [['bold', 'three']]]);
  });
});
