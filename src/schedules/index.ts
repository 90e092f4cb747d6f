export { findJob, type Job } from './job.ts';
export { createJobFile, createJobTable, type JobStorage } from './job-storage.ts';
export {
  type ClaimedRun,
  fractionOf,
  runJobNow,
  type RunOutcome,
  type SchedulerOptions,
  UNKNOWN_ERROR,
} from './perform-runs.ts';
export { createScheduledJobs, findScript, nextTimes, readJobs, targetsIn } from './scheduled-jobs.ts';
export { hasWork, runDueJobs, startScheduler } from './scheduler.ts';
export { systemTimeZone, toIsoWithOffset } from './time-zone.ts';
