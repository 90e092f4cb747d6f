import type { ApiStore, RouteSource } from '../../../contracts/index.ts';
import { HttpError } from '../../../http/index.ts';
import type { AgentBlueprint } from '../../../runtime/index.ts';
import type { StoredKey } from './key-file.ts';

type KeySpending = Pick<StoredKey, 'name' | 'dayUsd'>;
type PricedRoute = Pick<RouteSource, 'provider' | 'model' | 'findFacts'>;

export type BudgetQuery = {
  store: Pick<ApiStore, 'spendingOfOwner'>;
  now: number;
  /** The model of the request and its fallbacks. */
  routes: readonly PricedRoute[];
};

const NO_RETRY = { 'x-should-retry': 'false' } as const;

/**
 * Throws `HttpError` if a key has reached its spending limit, or if the price of a model is unknown: its calls would
 * count as 0, and the limit would never be reached.
 */
export async function checkBudget({ name, dayUsd }: KeySpending, { store, now, routes }: BudgetQuery): Promise<void> {
  if (dayUsd === undefined) return;
  if ((await store.spendingOfOwner(name, new Date(now).setHours(0, 0, 0, 0))) >= dayUsd)
    throw new HttpError(
      429,
      'insufficient_quota',
      `The key ${name} has reached its limit of ${dayUsd} USD per day.`,
      NO_RETRY,
    );
  const unpriced = unpricedRoute(routes);
  if (unpriced === undefined) return;
  const { provider, model } = unpriced;
  const reason = `The price of ${provider}/${model} is unknown, so the limit of the key ${name} cannot be enforced.`;
  throw new HttpError(403, 'price_unknown', `${reason} ${priceHint(model)}`, NO_RETRY);
}

/** The first model whose calls have no price. What a subscription covers costs nothing more. */
export function unpricedRoute(routes: readonly PricedRoute[]): PricedRoute | undefined {
  return routes.find((route) => {
    const { price, subscription } = route.findFacts?.() ?? {};
    return price === undefined && subscription !== true;
  });
}

/** The names of models contain dots, so the key is written with quotes. */
export function priceHint(model: string): string {
  const key = `model_overrides."${model}".price`;
  return `Set \`${key}.input\` and \`${key}.output\` in config.yaml, in US dollars per million tokens.`;
}

/** A turn ends when the key has reached its limit. */
export function limitOf(
  { name, dayUsd }: KeySpending,
  store: Pick<ApiStore, 'spendingOfOwner'>,
): Pick<AgentBlueprint, 'accountLimit'> {
  if (dayUsd === undefined) return {};
  const spentSince = (time: number) => store.spendingOfOwner(name, time);
  return { accountLimit: { name: `per day of the API key ${name}`, dayUsd, spentSince } };
}
