import type { Messaging } from '../../../contracts/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { OpenedJobs } from '../../../runtime/open-jobs.ts';
import type { SchedulerOptions } from '../../../schedules/index.ts';
import { hasDied, processName } from '../../../util/process-name.ts';
import { reportAnswer, reportSkipped, reportUnknown } from './report-job.ts';
import { runJob } from './run-job.ts';

/** A gateway keeps sending, so its runs need not wait; a command must not end before its answers have arrived. */
export const DELIVERY_MS = { gateway: 1000, command: 15_000 };

/** Connects the scheduler with the agents and the outbox of this process. */
export function schedulingOf(
  runtime: Runtime,
  opened: OpenedJobs,
  { messaging, deliveryMs }: { messaging: Messaging | undefined; deliveryMs: number },
): SchedulerOptions {
  const { clock, logger } = runtime;
  const { settings, storage, timeZone, runs } = opened;
  const report = { messaging, clock, wrapResponse: settings.wrapResponse, deliveryMs };
  return {
    jobs: storage,
    runs,
    clock,
    logger,
    owner: processName(),
    judgeOwner: (owner) => (hasDied(owner) === true ? 'dead' : undefined),
    timeZone,
    maxParallel: settings.maxParallel,
    perform: async (run, signal) =>
      reportAnswer(report, run.job, await runJob({ runtime, settings, storage, timeZone }, run, signal)),
    onSkipped: (skipped) => reportSkipped(report, skipped),
    onUnknown: (run, job) => reportUnknown(report, run, job),
  };
}
