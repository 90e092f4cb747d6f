import type { Clock } from '../../base/index.ts';
import type { AuxiliaryRoute } from './auxiliary-route.ts';

/** A model may fail at one question; who fails at two in a row is likely to fail at the third. */
const MOST_FAULTS = 2;
const REST_MS = 600_000;

/** Which models of a chain gave nothing of use lately. They are asked last for a while, and not paid for in vain. */
export interface RouteRests {
  note(route: AuxiliaryRoute, wasOfUse: boolean): void;
  /** The same models, those that rest behind the others: a poor chance is better than none. */
  order(chain: readonly AuxiliaryRoute[]): AuxiliaryRoute[];
}

export function createRouteRests(clock: Clock): RouteRests {
  const found = new Map<AuxiliaryRoute, { faults: number; at: number }>();
  const isResting = (route: AuxiliaryRoute) => {
    const { faults, at } = found.get(route) ?? { faults: 0, at: 0 };
    return faults >= MOST_FAULTS && clock.now() - at < REST_MS;
  };
  return {
    note(route, wasOfUse) {
      if (wasOfUse) found.delete(route);
      else found.set(route, { faults: (found.get(route)?.faults ?? 0) + 1, at: clock.now() });
    },
    order: (chain) => [...chain.filter((route) => !isResting(route)), ...chain.filter(isResting)],
  };
}
