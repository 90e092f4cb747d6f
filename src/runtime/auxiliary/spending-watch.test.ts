import { expect, it } from 'vitest';
import { NO_COST, NO_USAGE } from '../../base/index.ts';
import { createSpendingTracker } from './open-auxiliary.ts';

it('reports to everyone who follows a turn until they stop', () => {
  const watch = createSpendingTracker();
  const calls: string[] = [];
  const spent = { usage: NO_USAGE, cost: NO_COST };
  const endFirst = watch.follow('turn', () => calls.push('first'));
  watch.follow('turn', () => calls.push('second'));
  watch.follow('other', () => calls.push('other'));
  watch.report('turn', spent);
  endFirst();
  watch.report('turn', spent);
  expect(calls).toEqual(['first', 'second', 'second']);
});
