import type { JobOrigin, ScheduledJobs } from '../contracts/index.ts';

/** Jobs that are opened for each call, so that an agent that uses none loads nothing. New ones get the origin. */
export function deferJobs(open: () => Promise<ScheduledJobs>, origin?: JobOrigin): ScheduledJobs {
  return {
    list: async () => (await open()).list(),
    find: async (reference) => (await open()).find(reference),
    create: async (schedule, fields) => (await open()).create(schedule, { ...fields, origin: fields.origin ?? origin }),
    edit: async (reference, changes) => (await open()).edit(reference, changes),
    pause: async (reference, reason) => (await open()).pause(reference, reason),
    resume: async (reference) => (await open()).resume(reference),
    remove: async (reference) => (await open()).remove(reference),
    requestRun: async (reference) => (await open()).requestRun(reference),
    preview: async (schedule, count) => (await open()).preview(schedule, count),
  };
}
