import { describe, expect, it } from 'vitest';
import { createEmulator } from '../support/pty/emulator.ts';
import type { Mask } from '../support/screenshots/masks.ts';
import { takeScreenshot } from '../support/screenshots/screenshot.ts';

async function picture(text: string, masks: readonly Mask[] = []): Promise<string> {
  const emulator = createEmulator({ columns: 30, rows: 4, onReply: () => undefined });
  await new Promise<void>((resolve) => emulator.write(text, resolve));
  return takeScreenshot(emulator, { title: 'a & b', masks });
}

const texts = (svg: string) => [...svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].slice(1);

describe('a screenshot', () => {
  it('places each run of characters at its column, with its colour and weight', async () => {
    const svg = await picture('one \u001b[1;31mtwo\u001b[0m\u001b[38;2;1;2;3m x\u001b[0m <\r\n\u001b[2mdim');
    expect(texts(svg).map(([, , text]) => text)).toEqual(['one', 'two', 'x', '&lt;', 'dim']);
    const [one, two, third, , dim] = texts(svg).map(([, attributes = '']) => attributes);
    expect(one).toContain('x="16" y="64" textLength="25.2"');
    expect(two).toContain('x="49.6"');
    expect(two).toMatch(/fill:#f2777a;font-weight:bold/);
    expect(third).toContain('fill:#010203');
    expect(dim).toMatch(/y="83".*opacity/);
    expect(svg).toContain('<title>a &amp; b</title>');
    expect(svg).toBe(await picture('one \u001b[1;31mtwo\u001b[0m\u001b[38;2;1;2;3m x\u001b[0m <\r\n\u001b[2mdim'));
  });

  it('gives a wide character two columns, and draws backgrounds', async () => {
    const svg = await picture('字a\u001b[7m b \u001b[0m\u001b[48;5;196m \u001b[0m');
    expect(texts(svg).map(([, attributes = '', text]) => [text, /x="([\d.]+)"/.exec(attributes)?.[1]])).toEqual([
      ['字', '16'],
      ['a', '32.8'],
      ['b', '49.6'],
    ]);
    expect(svg).toContain('<rect x="41.2" y="50" width="25.2" height="19" fill="#d6d9e0"/>');
    expect(svg).toContain('fill="#ff0000"');
  });

  it('masks text that differs between runs', async () => {
    const masks = [
      { pattern: /took \d+(?:\.\d+)? s/g, shown: 'took 1 s' },
      { pattern: /\/tmp\/\w+\/(\w+)/g, shown: '~/$1' },
    ];
    const one = await picture('字 took 0.42 s, /tmp/a1/x', masks);
    expect(one).toBe(await picture('字 took 12 s, /tmp/bcd/x', masks));
    expect(texts(one).map(([, , text]) => text)).toEqual(['字', 'took 1 s, ~/x']);
  });
});
