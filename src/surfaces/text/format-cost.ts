import type { Spending } from '../../contracts/index.ts';
import { counted } from './counted.ts';

type Known = Pick<Spending, 'usd' | 'unpriced'>;

/** `$0.12`, `≥ $0.12` where a part of it is not known, `unknown` where nothing is: never a price that nobody named. */
export function formatCost({ usd, unpriced }: Known): string {
  if (usd === null) return 'unknown';
  const money = `$${usd.toFixed(usd !== 0 && usd < 0.1 ? 4 : 2)}`;
  return unpriced === 0 ? money : `≥ ${money}`;
}

/** The same with how much of it is not known. */
export function describeCost(spending: Known): string {
  const { unpriced } = spending;
  if (unpriced === 0) return formatCost(spending);
  return `${formatCost(spending)}, ${counted(unpriced, 'call')} without a price`;
}
