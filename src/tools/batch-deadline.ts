import type { Clock } from '../base/index.ts';
import { createWorkTime, type WorkTime } from './work-time.ts';

/** How long calls may run beside each other before they are stopped. */
const DEADLINE_MS = 420_000;

/** The reason a call's signal is aborted with when the time of its batch is over. */
export class BatchTimeOver extends Error {
  constructor() {
    super(`the calls of one message may take ${DEADLINE_MS / 1000} s together`);
  }
}

/** The time in which calls of a batch run beside each other. One that runs alone has a limit of its own. */
export function createBatchDeadline(clock: Clock): WorkTime {
  return createWorkTime(DEADLINE_MS, clock, () => new BatchTimeOver());
}
