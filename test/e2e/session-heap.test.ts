import { expect, it } from 'vitest';
import { measureSessionHeap } from '../../bench/sessions/measure-heap.ts';
import { fullDoseOnly } from '../support/dose.ts';

/** `node bench/sessions.ts` does the same with 5,000 sessions. */
const SESSIONS = 300;
const MAX_BYTES_PER_SESSION = 300;

it('keeps nothing of closed sessions in memory', { ...fullDoseOnly, timeout: 120_000 }, async () => {
  const { heap, perSession } = await measureSessionHeap(SESSIONS);
  expect(heap).toHaveLength(5);
  expect(perSession).toBeLessThanOrEqual(MAX_BYTES_PER_SESSION);
});
