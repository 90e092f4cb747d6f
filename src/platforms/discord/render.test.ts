import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { visibleText } from '../../testing/discord-server/visible-text.ts';
import { markdownTexts } from '../../testing/channel-suite/markdown-texts.ts';
import { isVisible } from '../text/visible.ts';
import { writeMarkup } from './markup.ts';
import { renderDiscord, toDiscordText } from './render.ts';

const render = (markdown: string) => renderDiscord(markdown).map(({ text }) => text);

const visible = (text: string) => [...text].filter((character) => isVisible({ text: character })).join('');

describe('renderDiscord', () => {
  it.each([
    ['**bold** _it_ ~~no~~ `code`', '**bold** _it_ ~~no~~ `code`'],
    ['***both*** **a _b_ c**', '**_both_** **a _b_ c**'],
    ['# Title', '**Title**'],
    ['```ts\nlet a = `b*`;\n```', '```ts\nlet a = `b*`;\n```'],
    ['> a\n> **b**', '> a\n> **b**'],
    ['a_b_c 2 * 3 * 4 \\# x | y', 'a\\_b\\_c 2 \\* 3 \\* 4 # x \\| y'],
    ['\\# x\n\\> y\n\\- z\n1\\. w', '\\# x\n\\> y\n\\- z\n1\\. w'],
    ['- a\n- b', '• a\n• b'],
    ['1. a\n2. b', '1\\. a\n2\\. b'],
    ['[label](https://a.b/c_(d))', '[label](https://a.b/c_%28d%29)'],
    ['https://a.b/c_d_e?x=1', 'https://a.b/c_d_e?x=1'],
    ['[a@b.c](mailto:a@b.c)', 'a@b.c'],
    ['[https://x.y](https://evil.z)', 'https://x.y (https://evil.z)'],
    ['<@123> :smile: @everyone', '\\<@123> \\:smile: @everyone'],
    [':*+:*', '\\:_+:_'],
    ['**a *b***', '**a _b_**'],
    ['x*y*z', 'xyz'],
    ['**a `**` b**', '**a** `**` **b**'],
  ])('writes %j as %j', (markdown, expected) => {
    expect(render(markdown)).toEqual([expected]);
  });

  verifies('GW-30', 'shows any text as it is, formatted or not', () => {
    fc.assert(
      fc.property(markdownTexts(fc), (markdown) => {
        const whole = toDiscordText(markdown);
        const shown = render(markdown).map(visibleText).join('');
        expect(visible(shown)).toBe(visible(whole.text));
      }),
      { numRuns: 2000 },
    );
  });

  it('shows text that consists of marks', () => {
    const marks = fc.string({
      unit: fc.constantFrom(...'*_~`|<>[]()#-+.:@\\ \n1aé/'.split(''), 'https://'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(marks, (text) => {
        expect(visibleText(writeMarkup({ text, spans: [] }))).toBe(text.trim());
        const markdown = `**${text}** _${text}_ ~~${text}~~`;
        const shown = render(markdown).map(visibleText).join('');
        expect(visible(shown)).toBe(visible(toDiscordText(markdown).text));
      }),
      { numRuns: 2000 },
    );
  });
});
