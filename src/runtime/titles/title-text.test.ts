import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../base/index.ts';
import { sanitiseTitle } from '../../store/index.ts';
import { cleanTitle, titleQuestion } from './title-maker.ts';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

describe('cleanTitle', () => {
  const cases: [written: string, title: string | undefined][] = [
    ['Fixing the broken build', 'Fixing the broken build'],
    ['"Fixing the broken build."', 'Fixing the broken build'],
    ['Title: **Fixing the build**', 'Fixing the build'],
    ['**Title:** "Fixing the build"', 'Fixing the build'],
    ['# Fixing the build\n\nHere is why I chose it.', 'Fixing the build'],
    ['<think>The user wants\na title.</think>\nFixing the build', 'Fixing the build'],
    ['a thought without a beginning</think> Fixing the build', 'Fixing the build'],
    ['<think>never finished', undefined],
    ['```\nFixing the build\n```', 'Fixing the build'],
    ['```json\n{"title": "Fixing the build"}\n```', 'Fixing the build'],
    ['1. Fixing the build', 'Fixing the build'],
    ['Titel: „Der kaputte Bau“', 'Der kaputte Bau'],
    ['标题：《修复构建》', '修复构建'],
    ['「ビルドを直す」', 'ビルドを直す'],
    ['\u001b[31mred\u001b[0m \u001b]0;owned\u0007alert', 'red alert'],
    ['evil\u202etxt.exe\u200b name', 'eviltxt.exe name'],
    ['<b onclick="x">Bold</b> move', 'Bold move'],
    ['Fix issue #12', 'Fix issue 12'],
    ['What is C#', 'What is C#'],
    ['Title', 'Title'],
    ['…', undefined],
    ['"" \n - \n', undefined],
    ['', undefined],
  ];
  for (const [written, title] of cases) {
    it(`extracts ${JSON.stringify(title)} from ${JSON.stringify(written)}`, () =>
      expect(cleanTitle(written)).toBe(title));
  }

  it('truncates between words, and unspaced script anywhere', () => {
    const long = cleanTitle('many words '.repeat(40));
    expect(long?.length).toBeLessThanOrEqual(100);
    expect(long).toMatch(/^(?:many words )+(?:many|many words)$/);
    expect([...(cleanTitle('漢'.repeat(300)) ?? '')]).toHaveLength(100);
  });

  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      '\n',
      '"',
      '**',
      '`',
      'Title: ',
      '<think>',
      '</think>',
      '\u001b[2J',
      '#',
      ' #3',
      '- ',
      '{"title":"',
      '"}',
      '\u202e',
      '\ud800',
      '1. ',
    ),
  );
  it('always gives one visible line and is idempotent', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const title = cleanTitle(pieces.join(''));
        if (title === undefined) return;
        expect([...title].length).toBeLessThanOrEqual(100);
        // oxlint-disable-next-line no-control-regex
        expect(title).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e\u200b]|\s#\d+$/);
        expect(title).toMatch(/[\p{L}\p{N}]/u);
        // The store would not change the title any further and never rejects it.
        expect(sanitiseTitle(title)).toBe(title);
        expect(cleanTitle(title)).toBe(title);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is fast for adversarial input', () => {
    // A pattern with unlimited look-ahead took many seconds for each of these.
    for (const part of ['<think', '</think>', '<think>', '"* ', '<a', ' #1']) {
      expect(cleanTitle(`${part.repeat(50_000)}\nFixing the build`)?.length ?? 0).toBeLessThanOrEqual(100);
    }
  });
});

describe('titleQuestion', () => {
  it('contains the start of the first exchange as data', () => {
    const messages = [user('x'.repeat(900)), assistant(''), assistant(`"}\n${'y'.repeat(900)}`), user('later')];
    const { question, answer } = JSON.parse(titleQuestion(messages) ?? '') as Record<string, string>;
    expect(question).toBe('x'.repeat(500));
    expect(answer).toHaveLength(500);
    expect(answer?.startsWith('"}\ny')).toBe(true);
    expect(titleQuestion(messages)?.split('\n')).toHaveLength(1);
  });

  it('redacts secrets', () => {
    const secret = `sk-${'a1'.repeat(20)}`;
    expect(titleQuestion([user(`my key is ${secret}`), assistant(secret)])).not.toContain(secret);
  });

  it('is undefined before the first answer', () => {
    expect(titleQuestion([])).toBeUndefined();
    expect(titleQuestion([user('hello')])).toBeUndefined();
    expect(titleQuestion([user(' '), assistant('hi')])).toBeUndefined();
  });
});
