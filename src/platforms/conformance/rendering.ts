import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose } from '../../../test/support/dose.ts';
import type { Channel } from '../../contracts/index.ts';
import { lengthIn } from '../text/split.ts';
import { markdownTexts } from '../text/markdown.test-helper.ts';
import type { ChannelBench } from './channel-bench.ts';

/** The number of texts in the full dose. */
const TEXTS = 2000;

export function describeRendering(bench: () => ChannelBench): void {
  describe('rendering', () => {
    verifies('GW-30', 'sends any Markdown so that the platform accepts it and no text is lost', async () => {
      const channel = bench().open();
      await fc.assert(
        fc.asyncProperty(markdownTexts, async (markdown) => {
          const before = bench().texts().length;
          await sendMarkdown(channel, bench(), markdown);
          expectSameText(bench().texts().slice(before), bench().plainText(markdown));
        }),
        { numRuns: TEXTS },
      );
    });

    verifies('GW-30', 'splits long texts into pieces that fit', async () => {
      const channel = bench().open();
      const paragraph = 'Some **bold** text with `code`, [a link](https://example.com/a) and 😀.\n\n';
      for (const markdown of [
        paragraph.repeat(dose(300, 1500)),
        '**x** '.repeat(1000),
        `\`\`\`ts\n${'const a = 1;\n'.repeat(dose(500, 1000))}\`\`\``,
        '😀'.repeat(dose(4500, 8000)),
        '> '.repeat(200) + 'x'.repeat(10_000),
      ]) {
        const before = bench().texts().length;
        const pieces = await sendMarkdown(channel, bench(), markdown);
        const longest = Math.max(...pieces.map(({ text }) => lengthIn(channel.facts.textUnit, text)));
        expect(longest).toBeLessThanOrEqual(channel.facts.maxText);
        // Not many more messages than necessary.
        expect(pieces.length).toBeLessThan(3 + (markdown.length / channel.facts.maxText) * 12);
        expectSameText(bench().texts().slice(before), bench().plainText(markdown));
      }
    });

    it.each(['', ' \n ', '\u200b\u200d', '\u0000\u0007', '```\n```'])(
      'sends nothing that the platform rejects as empty: %j',
      async (markdown) => {
        const channel = bench().open();
        const pieces = await sendMarkdown(channel, bench(), markdown);
        expect(pieces).toEqual([]);
      },
    );
  });
}

async function sendMarkdown(channel: Channel, { target }: ChannelBench, markdown: string) {
  const pieces = channel.render(markdown);
  const signal = AbortSignal.timeout(60_000);
  for (const content of pieces) {
    await channel.send({ target, content }, { key: randomUUID(), mayHaveArrived: false, signal });
  }
  return pieces;
}

/** What no user sees: space, and characters without width. */
const INVISIBLE =
  /(?:[\s\p{Cc}\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2800\u3000\ufeff\ufffc\u{e0000}-\u{e007f}]|\u0333|\u033f|\u030a)/u;

/** The texts follow each other in the whole, with nothing visible between them. */
function expectSameText(texts: readonly string[], whole: string): void {
  let at = 0;
  for (const text of texts) {
    const found = whole.indexOf(text, at);
    expect(found, `${JSON.stringify(text)} is missing after ${at}`).toBeGreaterThanOrEqual(0);
    expectInvisible(whole.slice(at, found));
    at = found + text.length;
  }
  expectInvisible(whole.slice(at));
}

function expectInvisible(text: string): void {
  expect([...text].filter((character) => !INVISIBLE.test(character)).join('')).toBe('');
}
