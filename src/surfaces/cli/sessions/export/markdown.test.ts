import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fenced, inline, quoted } from './markdown.ts';

const hostile = () =>
  fc.array(
    fc.oneof(fc.constantFrom('```', '````\n', '`', '~~~', '\n', '> ', '<b>', '</details>', '\r', ' '), fc.string()),
    {
      maxLength: 20,
    },
  );

it('makes a fence longer than any fence in the text', () => {
  fc.assert(
    fc.property(hostile(), (pieces) => {
      const lines = fenced(pieces.join(''), 'text').split('\n');
      const fence = /^(`{3,})text$/.exec(lines[0] ?? '')?.[1] ?? '';
      expect(lines.slice(-2)).toEqual([fence, '']);
      const ending = new RegExp(`^ {0,3}\`{${fence.length},}[ \\t]*$`);
      expect(lines.slice(1, -2).filter((line) => ending.test(line))).toEqual([]);
    }),
  );
});

it('quotes every line of the text', () => {
  fc.assert(
    fc.property(hostile(), (pieces) => {
      for (const line of quoted(pieces.join('')).split('\n').slice(0, -1)) expect(line).toMatch(/^>/);
    }),
  );
});

it('escapes tags, except in unambiguous code', () => {
  const shown = (text: string) => quoted(text).replace(/^> ?/gm, '').trimEnd();
  for (const text of ['`a<b>`', '```\n<b>\n```', '~~~ts\n<b>\n```\n<i>\n~~~', 'a < b, 1 <2', '`` `<b>` ``']) {
    expect(shown(text)).toBe(text);
  }
  for (const [text, harmless] of [
    ['<b>', '&lt;b>'],
    ['</details><!-- <?x', '&lt;/details>&lt;!-- &lt;?x'],
    // A code span that began in the previous line ends here, so `<b>` is not code.
    ['x `` y\nz `` <b> ``', 'x `` y\nz `` &lt;b> ``'],
    ['\\`<b>`', '\\`&lt;b>`'],
    ['`<b>', '`&lt;b>'],
    // A fence inside a list ends with the list, which the code does not track.
    ['- a\n  ```\nout <b>\n```\n<b>', '- a\n  ```\nout &lt;b>\n```\n&lt;b>'],
    ['``` <b>\n<i>', '``` &lt;b>\n<i>'],
    ['```\n<b>\n```\n<b>', '```\n<b>\n```\n&lt;b>'],
  ] as const) {
    expect([text, shown(text)]).toEqual([text, harmless]);
  }
});

it('escapes inline text', () => {
  expect(inline('a *b* _c_ <d> [e](f) `g`\n# h | snake_case')).toBe(
    'a \\*b\\* \\_c\\_ \\<d\\> \\[e\\](f) \\`g\\` \\# h \\| snake_case',
  );
});
