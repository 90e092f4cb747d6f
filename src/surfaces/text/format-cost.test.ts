import { expect, it } from 'vitest';
import { describeCost, formatCost } from './format-cost.ts';

it('never invents a price', () => {
  expect(formatCost({ usd: 0, unpriced: 0 })).toBe('$0.00');
  expect(formatCost({ usd: 1.5, unpriced: 0 })).toBe('$1.50');
  expect(formatCost({ usd: 0.0123, unpriced: 2 })).toBe('≥ $0.0123');
  expect(describeCost({ usd: 0.5, unpriced: 1 })).toBe('≥ $0.50, 1 call without a price');
  expect(describeCost({ usd: null, unpriced: 3 })).toBe('unknown, 3 calls without a price');
  expect(describeCost({ usd: 0, unpriced: 0 })).toBe('$0.00');
});
