import { describe, expect, it } from 'vitest';
import { formatBars, formatFigure, formatShare, formatTable } from './table.ts';

describe('formatTable', () => {
  it('aligns columns, and escapes control characters', () => {
    const rows = [
      ['tool', 'calls'],
      ['ter\u001b[31mminal', '7'],
    ];
    expect(formatTable(rows)).toBe('  tool      calls\n  terminal      7\n');
    expect(formatTable([])).toBe('');
  });
});

describe('formatBars', () => {
  it('draws the largest figure as a full bar, the smallest as the lowest, and zero as a dot', () => {
    expect(formatBars([0, 1, 50, 100])).toBe('·▁▄█');
    expect(formatBars([0, 0])).toBe('··');
  });
});

describe('formatFigure and formatShare', () => {
  it('abbreviates large numbers', () => {
    expect([999, 1000, 999_949, 999_950].map(formatFigure)).toEqual(['999', '1.0k', '999.9k', '1.0M']);
    expect([formatShare(1, 3), formatShare(0, 0)]).toEqual(['33 %', '–']);
  });
});
