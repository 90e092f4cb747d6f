import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripAnsi } from '../../../util/index.ts';
import { textWidth } from '../../../util/text-width.ts';
import { renderReasoning } from './reasoning.ts';
import { renderStatusLine, type StatusView } from './status-line.ts';
import { createTheme } from './theme.ts';

const plain = createTheme({ colours: 'none' });
const dark = createTheme({ colours: 'dark' });

const status: StatusView = {
  activity: { text: 'terminal', seconds: 65, frame: 3 },
  tokens: 12_345,
  contextUsed: 0.41,
  costUsd: 0.0123,
  cacheHitRate: 0.92,
};

describe('renderStatusLine', () => {
  it('shows the activity and the usage', () => {
    expect(renderStatusLine(status, 100, plain)).toBe(
      '⠸ terminal 1m 05s · Esc to interrupt             12.3k tokens · 41% of window · $0.0123 · cache 92%',
    );
    expect(renderStatusLine({ tokens: 999 }, 20, plain)).toBe('         999 tokens');
    expect(renderStatusLine({}, 100, plain)).toBe('');
  });

  it('drops the least important parts first if there is no room, and the activity last', () => {
    const shown = [80, 60, 45, 36, 24, 10].map((width) => renderStatusLine(status, width, plain));
    expect(shown).toEqual([
      '⠸ terminal 1m 05s            12.3k tokens · 41% of window · $0.0123 · cache 92%',
      '⠸ terminal 1m 05s    12.3k tokens · 41% of window · $0.0123',
      '⠸ terminal 1m 05s    41% of window · $0.0123',
      '⠸ terminal 1m 05s     41% of window',
      '⠸ terminal 1m 05s',
      '⠸ termina…',
    ]);
  });

  it('fits any window', () => {
    const figure = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: undefined });
    const view = fc.record({
      activity: fc.record({ text: fc.string({ unit: 'binary' }), seconds: fc.nat(), frame: fc.nat() }),
      tokens: fc.nat(),
      contextUsed: fc.double({ min: 0, max: 2, noNaN: true }),
      costUsd: figure,
    });
    fc.assert(
      fc.property(view, fc.integer({ min: 1, max: 200 }), ({ costUsd, ...rest }, width) => {
        const line = renderStatusLine({ ...rest, ...(costUsd !== undefined && { costUsd }) }, width, dark);
        expect(textWidth(stripAnsi(line))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('renderReasoning', () => {
  it('collapses reasoning to one line, and shows all of it on request', () => {
    const thought = { text: '\nI should look\u001b[2J first.\n\nThen act. ', seconds: 12 };
    expect(renderReasoning({ ...thought, open: false }, 80, plain)).toEqual([
      '∴ thought for 12s, 6 words (Ctrl-T to show)',
    ]);
    expect(renderReasoning({ ...thought, open: true }, 20, plain)).toEqual([
      '∴ thought for 12s, …',
      '  I should look',
      '  first.',
      '',
      '  Then act.',
    ]);
  });
});
