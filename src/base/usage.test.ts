import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { addCost, type Cost, NO_COST } from './usage.ts';

const actual: Cost = { usd: 1, status: 'actual', source: 'provider' };

verifies('CALL-11', 'a sum of costs is only as certain as its least certain part', () => {
  expect(addCost(undefined, actual)).toEqual(actual);
  expect(addCost(actual, actual)).toMatchObject({ usd: 2, status: 'actual' });
  expect(addCost(actual, { usd: 0.5, status: 'estimated' })).toMatchObject({ usd: 1.5, status: 'estimated' });
  expect(addCost(actual, NO_COST)).toMatchObject({ usd: 1, status: 'unknown' });
});
