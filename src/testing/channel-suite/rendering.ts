import type { Channel, TextUnit } from '../../contracts/index.ts';
import { type ChannelBench, sendTo } from './channel-bench.ts';
import { markdownTexts } from './markdown-texts.ts';
import type { Suite } from './suite.ts';

/** The number of texts in the full amount. */
const TEXTS = 2000;

export function describeRendering(suite: Suite): void {
  const { describe, it, verifies, expect, fc } = suite;
  describe('rendering', () => {
    if (fc !== undefined) {
      verifies('GW-30', 'sends any Markdown so that the platform accepts it and no text is lost', async (bench) => {
        const channel = bench.open();
        await fc.assert(
          fc.asyncProperty(markdownTexts(fc), async (markdown) => {
            const before = (await bench.texts()).length;
            await sendMarkdown(channel, bench, markdown);
            expectSameText((await bench.texts()).slice(before), bench.plainText(markdown));
          }),
          // A real server that is sent one line at a time is slow.
          { numRuns: bench.hasOneLine ? TEXTS / 10 : TEXTS },
        );
        expect((await bench.texts()).length).toBeGreaterThan(0);
      });
    }

    verifies('GW-30', 'splits long texts into pieces that fit', async (bench) => {
      const channel = bench.open();
      for (const markdown of longTexts(suite)) {
        const before = (await bench.texts()).length;
        const pieces = await sendMarkdown(channel, bench, markdown);
        const { maxText, textUnit } = channel.facts;
        expect(Math.max(...pieces.map(({ text }) => lengthIn(textUnit, text)))).toBeLessThanOrEqual(maxText);
        // Not many more messages than necessary.
        const lines = bench.hasOneLine ? markdown.split('\n').length : 0;
        expect(pieces.length).toBeLessThan(3 + lines + (Buffer.byteLength(markdown) / maxText) * 12);
        expectSameText((await bench.texts()).slice(before), bench.plainText(markdown));
      }
    });

    for (const markdown of ['', ' \n ', '\u200b\u200d', '\u0000\u0007', '```\n```']) {
      it(`sends nothing that the platform rejects as empty: ${JSON.stringify(markdown)}`, async (bench) => {
        expect(await sendMarkdown(bench.open(), bench, markdown)).toEqual([]);
      });
    }

    it('renders a short text as one message', async (bench) => {
      const pieces = await sendMarkdown(bench.open(), bench, 'It **works**.');
      expect(pieces).toHaveLength(1);
      expect(await bench.texts()).toEqual([bench.plainText('It **works**.')]);
    });

    it('shows what looks like markup of the platform as it is', async (bench) => {
      const text = 'a_b_c 2 * 3 * 4 <@everyone> &amp; {x} ~y~ |z|';
      await sendMarkdown(bench.open(), bench, text);
      expect((await bench.texts()).join(' ')).toBe(bench.plainText(text));
    });

    it('renders the same text the same way each time', (bench) => {
      const channel = bench.open();
      expect(channel.render('**a** `b`\n\n- c')).toEqual(channel.render('**a** `b`\n\n- c'));
      return Promise.resolve();
    });
  });

  describe('lengths', () => {
    for (const [name, character] of [
      ['ASCII', 'x'],
      ['two-byte', 'é'],
      ['astral', '😀'],
    ] as const) {
      it(`sends a text of exactly the maximum length whole: ${name} characters`, async (bench) => {
        const channel = bench.open();
        const { maxText, textUnit } = channel.facts;
        const size = lengthIn(textUnit, character);
        const text = character.repeat(Math.floor(maxText / size)) + 'x'.repeat(maxText % size);
        await sendTo(channel, { target: bench.target, content: { text } });
        expect(await bench.texts()).toEqual([text]);
      });
    }
  });
}

function longTexts({ amount }: Suite): string[] {
  const paragraph = 'Some **bold** text with `code`, [a link](https://example.com/a) and 😀.\n\n';
  return [
    paragraph.repeat(amount(300, 1500)),
    '**x** '.repeat(1000),
    `\`\`\`ts\n${'const a = 1;\n'.repeat(amount(500, 1000))}\`\`\``,
    '😀'.repeat(amount(4500, 8000)),
    '> '.repeat(200) + 'x'.repeat(10_000),
  ];
}

function lengthIn(unit: TextUnit, text: string): number {
  if (unit === 'bytes') return Buffer.byteLength(text);
  return unit === 'utf16' ? text.length : [...text].length;
}

async function sendMarkdown(channel: Channel, { target }: ChannelBench, markdown: string) {
  const pieces = channel.render(markdown);
  for (const content of pieces) await sendTo(channel, { target, content });
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
    if (found < 0) throw new Error(`${JSON.stringify(text)} is missing after ${at} in ${JSON.stringify(whole)}`);
    requireInvisible(whole.slice(at, found));
    at = found + text.length;
  }
  requireInvisible(whole.slice(at));
}

function requireInvisible(text: string): void {
  const visible = [...text].filter((character) => !INVISIBLE.test(character)).join('');
  if (visible !== '') throw new Error(`${JSON.stringify(visible)} was not sent`);
}
