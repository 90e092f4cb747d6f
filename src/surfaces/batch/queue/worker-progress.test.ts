import { expect, it } from 'vitest';
import { createWorkerProgress } from './worker-progress.ts';

const counts = (kept: number, more: object = {}) => ({
  prompts: 100,
  kept,
  dropped: 0,
  failed: 0,
  usd: kept / 10,
  costKnown: true,
  ...more,
});
const IDLE = { running: 0, waiting: undefined };

it('reports the progress of runs by all workers, and the speed since its start', () => {
  const progress = createWorkerProgress();
  expect(progress.show(1000, IDLE)).toMatchObject({ total: 0, perSecond: undefined });
  // A run that finished before the worker started.
  progress.note('old', counts(100), 0);
  progress.note('one', counts(20), 0);
  progress.note('one', counts(40, { failed: 2, costKnown: false }), 10_000);
  expect(progress.show(10_000, { running: 3, waiting: undefined })).toMatchObject({
    total: 100,
    kept: 40,
    failed: 2,
    running: 3,
    usd: 4,
    costKnown: false,
    perSecond: 2.2,
  });
  progress.note('two', counts(0, { prompts: 50 }), 10_000);
  progress.note('one', counts(98, { failed: 2 }), 10_000);
  expect(progress.show(10_000, IDLE)).toMatchObject({ total: 150, kept: 98, secondsLeft: 50 / 8 });
  // A retry: failed prompts are requeued.
  progress.note('one', counts(20), 10_000);
  expect(progress.show(10_000, IDLE).perSecond).toBeUndefined();
});

it('does not count idle time', () => {
  const progress = createWorkerProgress();
  progress.note('one', counts(0), 0);
  progress.note('one', counts(100), 10_000);
  progress.note('two', counts(10), 1_000_000);
  progress.note('two', counts(20), 1_005_000);
  expect(progress.show(1_005_000, IDLE)).toMatchObject({ total: 100, kept: 20, perSecond: 2 });
});
