import type FastCheck from 'fast-check';

/** Pieces of Markdown that interact badly, mixed with any text. */
export const markdownTexts = (fc: typeof FastCheck) =>
  fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.constantFrom(
          '**bold**',
          '_it',
          '*',
          '`code`',
          '```js\n',
          '```',
          '\n',
          '\n\n',
          '- item\n',
          '  - inner\n',
          '1. one\n',
          '> quote\n',
          '[link](https://e.com/a_(b))',
          '[x](javascript:alert(1))',
          '| a | b |\n|---|---|\n| 1 | 2 |\n',
          '# Head\n',
          '~~no~~',
          '<b>html</b>',
          '👩‍👩‍👧',
          '\u202eabc',
          '\u0301',
          '\ud83d',
          '- [x] done\n',
          '---\n',
          '![i](http://i.png)',
          '\\*',
          '&amp;',
          '[local](http://localhost:3000/a)',
          '[`code`](https://e.com)',
          '**bold `code` bold**',
          '\u200b',
        ),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''));
