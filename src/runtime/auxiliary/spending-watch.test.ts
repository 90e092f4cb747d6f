import { expect, it } from 'vitest';
import { NO_COST, NO_USAGE } from '../../base/index.ts';
import { createSpendingWatch } from './open-auxiliary.ts';

it('reports to everyone who follows a turn until they stop', () => {
  const watch = createSpendingWatch();
  const told: string[] = [];
  const spent = { usage: NO_USAGE, cost: NO_COST };
  const endFirst = watch.follow('turn', () => told.push('first'));
  watch.follow('turn', () => told.push('second'));
  watch.follow('other', () => told.push('other'));
  watch.tell('turn', spent);
  endFirst();
  watch.tell('turn', spent);
  expect(told).toEqual(['first', 'second', 'second']);
});
