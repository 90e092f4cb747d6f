import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { dose } from '../../../../../test/support/dose.ts';
import { stripAnsi } from '../../../../util/index.ts';
import { textWidth } from '../../../../util/text-width.ts';
import { createTheme } from '../theme.ts';
import { createAnswerStream } from './answer-stream.ts';
import { renderMarkdown } from './render-markdown.test-helper.ts';

const plain = createTheme({ colours: 'none' });
const dark = createTheme({ colours: 'dark' });
beforeAll(() => dark.code.prepare());

// Markdown constructs, and characters that are difficult for terminals.
const fragment = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n\n',
    ' ',
    '  ',
    '\t',
    '- ',
    '1. ',
    '12) ',
    '> ',
    '# ',
    '### ',
    '```',
    '```ts\n',
    '~~~\n',
    '---\n',
  ),
  fc.constantFrom(
    '**',
    '*',
    '_',
    '__',
    '~~',
    '`',
    '[',
    '](',
    ')',
    '<br>',
    '&amp;',
    '\\',
    '===\n',
    '| ',
    ' | ',
    '|---|:-:|\n',
  ),
  fc.constantFrom(
    'word',
    'snake_case',
    'https://example.org/a_b?c=d',
    '汉字',
    '「排版」。',
    'e\u0301',
    '👨‍👩‍👧',
    '❤️',
    '🇩🇪',
    'const a = `x',
  ),
  fc.constantFrom(
    '\u001b[31m',
    '\u001b]8;;x\u0007',
    '\u0000',
    '\r\n',
    '\u202e',
    '/* open',
    '```constructor\n',
    '*/',
    '- [x] ',
    '    ',
    'x'.repeat(250),
    'many words '.repeat(7),
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const markdown = fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join(''));
const columns = fc.integer({ min: 20, max: 200 });
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

/** Splits the text into pieces of these sizes, repeatedly. */
function piecesOf(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

describe('createAnswerStream', () => {
  it('renders the same lines for any split into deltas, and draws the unfinished part as if the text ended there', () => {
    fc.assert(
      fc.property(markdown, sizes, columns, fc.constantFrom(plain, dark), (text, lengths, width, theme) => {
        const stream = createAnswerStream(theme);
        const taken: string[] = [];
        let pushed = '';
        for (const piece of piecesOf(text, lengths)) {
          stream.push(piece);
          pushed += piece;
          taken.push(...stream.takeFinished(width));
          const shown = [...taken, ...stream.live(width, Number.POSITIVE_INFINITY)];
          expect(shown).toEqual(renderMarkdown(pushed, width, theme));
        }
        stream.end();
        taken.push(...stream.takeFinished(width));
        expect(taken).toEqual(renderMarkdown(text, width, theme));
      }),
      { numRuns: 150 },
    );
  });

  it('never draws a line that is wider than the window, or a control character', () => {
    fc.assert(
      fc.property(markdown, columns, fc.constantFrom(plain, dark), (text, width, theme) => {
        for (const line of renderMarkdown(text, width, theme)) {
          const shown = stripAnsi(line);
          expect(textWidth(shown)).toBeLessThanOrEqual(width);
          // oxlint-disable-next-line no-control-regex
          expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
          expect(theme === plain ? line : shown).toBe(shown);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('loses no letter of text or code, in any theme', () => {
    const word = fc.constantFrom(
      'one',
      '汉字',
      'e\u0301',
      '**bold**',
      '*it* ',
      '`code`',
      ' ',
      '\n',
      '- ',
      '> ',
      'x'.repeat(90),
    );
    const letters = (text: string) => stripAnsi(text).replace(/[^\p{L}\p{M}]/gu, '');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 80 }), columns, fc.boolean(), (words, width, code) => {
        const text = words.join('');
        const shown = renderMarkdown(code ? `~~~ts\n${text}` : text, width, dark).join('');
        expect(letters(shown)).toBe(letters(text));
      }),
      { numRuns: 300 },
    );
  });

  it('emits lines of long blocks while they are being written', () => {
    const stream = createAnswerStream(plain);
    const after = (text: string) => {
      stream.push(text);
      return stream.takeFinished(20);
    };
    expect(after('- one\n- two\n- thr')).toEqual(['• one']);
    expect(after('ee\n\n```\nlet a\nlet ')).toEqual(['• two', '• three', '', '  let a']);
    expect(stream.live(20, 5)).toEqual(['  let']);
    expect(
      after('b\n```\n\n')
        .concat(after('word '.repeat(80)))
        .slice(0, 4),
    ).toEqual(['  let b', '', 'word word word word', 'word word word word']);
    expect(stream.live(20, 2)).toEqual(['word word word word']);
  });

  // The live lines are everything that is parsed again with each delta, so a limit on them also limits the work per
  // delta.
  it('limits the unfinished part, so that the cost per delta does not grow with the answer', () => {
    const words = 'The **quick** fox `jumps` over 犬 and [on](https://a.example/). ';
    const numbered = (count: number, line: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => line(index));
    const longOnes = {
      lines: numbered(600, (index) => (index % 5 === 0 ? `\n## Part ${index}\n` : words)).join('\n'),
      code: `~~~ts\n${numbered(600, (index) => `const a${index} = \`x\`; /* c */`).join('\n')}`,
      comment: `~~~ts\n/*\n${numbered(600, () => 'all one comment').join('\n')}`,
      list: numbered(400, (index) => `- item **${index}** of it`).join('\n'),
      table: `| a | b |\n|--|--|\n${numbered(600, (index) => `| ${index} | text |`).join('\n')}`,
      paragraph: words.repeat(400),
      unclosed: `**${'never closed '.repeat(2000)}`,
      script: '汉字排版，测试。'.repeat(3000),
      oneWord: 'x'.repeat(20_000),
      oneLineOfCode: `~~~\n${'ab9/'.repeat(5000)}`,
    };
    for (const [name, text] of Object.entries(longOnes)) {
      const stream = createAnswerStream(dark);
      let most = 0;
      for (const [index, piece] of piecesOf(text, [dose(20, 5)]).entries()) {
        stream.push(piece);
        stream.takeFinished(80);
        if (index % dose(5, 20) === 0) most = Math.max(most, stripAnsi(stream.live(80, 9999).join('')).length);
      }
      expect({ name, isBounded: most <= 2200 }).toEqual({ name, isBounded: true });
    }
  });

  it('starts again after a discard', () => {
    const stream = createAnswerStream(plain);
    stream.push('```\nhalf');
    stream.discard();
    stream.push('# whole');
    stream.end();
    expect(stream.takeFinished(40)).toEqual(['# whole']);
    stream.push('next');
    stream.end();
    expect(stream.takeFinished(40)).toEqual(['next']);
  });

  it('draws the rest after the window became narrower', () => {
    const stream = createAnswerStream(plain);
    stream.push('abc '.repeat(60));
    expect(stream.takeFinished(40)[0]).toBe('abc '.repeat(10).trim());
    stream.end();
    const rest = stream.takeFinished(20);
    expect(rest.length).toBeGreaterThan(0);
    for (const line of rest) expect(line.length).toBeLessThanOrEqual(20);
  });
});
