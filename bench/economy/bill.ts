import {
  addBilled,
  anthropicPrices,
  type BilledUsage,
  type CacheKind,
  type CachePrices,
  costInUsd,
  createCacheSimulator,
  minimumUsage,
  NOTHING_BILLED,
  openaiPrices,
} from '../../src/testing/index.ts';
import type { Placement } from './placements.ts';
import type { RecordedCall } from './record.ts';

export type Bill = { usage: BilledUsage; usd: number };

/** Prices by model. */
export function pricesOf(model: string): CachePrices {
  return model.includes('claude') ? anthropicPrices(3, 15) : openaiPrices(1.25, 10);
}

export type BillOptions = { placement?: Placement; kind?: CacheKind };

/** The cost of a run, call by call in chronological order. */
export function billFor(
  calls: readonly RecordedCall[],
  { placement = (prompt) => prompt, kind }: BillOptions = {},
): Bill {
  const simulator = createCacheSimulator(kind === undefined ? {} : { kindOf: () => kind });
  let bill: Bill = { usage: NOTHING_BILLED, usd: 0 };
  for (const { prompt, at, output } of calls) {
    const usage = { ...simulator.serve(placement(prompt), at), output };
    bill = { usage: addBilled(bill.usage, usage), usd: bill.usd + costInUsd(usage, pricesOf(prompt.model)) };
  }
  return bill;
}

/** Each model separately, because models do not share a cache. */
export function leastFor(calls: readonly RecordedCall[]): Bill {
  const models = [...new Set(calls.map(({ prompt }) => prompt.model))];
  let bill: Bill = { usage: NOTHING_BILLED, usd: 0 };
  for (const model of models) {
    const usage = minimumUsage(calls.filter(({ prompt }) => prompt.model === model));
    bill = { usage: addBilled(bill.usage, usage), usd: bill.usd + costInUsd(usage, pricesOf(model)) };
  }
  return bill;
}

/** The same calls with pauses: after this many calls the user is away for a while. */
export function withPauses(calls: readonly RecordedCall[], every: number, pauseMs: number): RecordedCall[] {
  return calls.map((call, index) => ({ ...call, at: call.at + Math.floor(index / every) * pauseMs }));
}
