import type { Spending } from '../../contracts/index.ts';
import { counted } from './counted.ts';

type Known = Pick<Spending, 'usd' | 'unpriced'>;

/** Formats a cost: `$0.12`, `≥ $0.12` if a part is unknown, `unknown` if all of it is. Never invents a price. */
export function formatCost({ usd, unpriced }: Known): string {
  if (usd === null) return 'unknown';
  const money = `$${usd.toFixed(usd !== 0 && usd < 0.1 ? 4 : 2)}`;
  return unpriced === 0 ? money : `≥ ${money}`;
}

/** Formats a cost with the number of calls whose price is unknown. */
export function describeCost(spending: Known): string {
  const { unpriced } = spending;
  if (unpriced === 0) return formatCost(spending);
  return `${formatCost(spending)}, ${counted(unpriced, 'call')} without a price`;
}
