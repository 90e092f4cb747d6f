import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createListRefresher } from './list-refresher.ts';

verifies('SURF-8', 'a server that reports a change with every list is asked less and less often', async () => {
  const clock = createFakeClock();
  let lists = 0;
  const parts = { server: 'it', clock, logger: silentLogger };
  const refresher = createListRefresher(async () => {
    lists += 1;
    if (lists === 14) refresher.stop();
    refresher.scheduleRefresh();
  }, parts);
  refresher.scheduleRefresh();
  await expect.poll(() => lists).toBe(14);
  expect(clock.sleeps).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

verifies('SURF-8', 'a change after a pause is fetched immediately', async () => {
  const clock = createFakeClock();
  let lists = 0;
  const refresher = createListRefresher(async () => void (lists += 1), { server: 'it', clock, logger: silentLogger });
  for (let change = 0; change < 20; change += 1) {
    refresher.scheduleRefresh();
    await refresher.settled();
    clock.advance(2000);
  }
  expect([lists, clock.sleeps]).toEqual([20, []]);
});
