import type { ConfigFile } from '../schema.ts';

/** The settings of scheduled jobs. */
export type CronSettings = {
  /** The time zone of jobs that name none; undefined for that of the machine. */
  timeZone: string | undefined;
  /** How many runs one process performs at the same time. */
  maxParallel: number;
  /** Whether delivered answers name their job. */
  wrapResponse: boolean;
  scriptTimeoutSeconds: number;
};

export const DEFAULT_CRON = Object.freeze({ maxParallel: 4, wrapResponse: true, scriptTimeoutSeconds: 120 });

export function readCronSettings({ cron = {}, timezone }: ConfigFile): CronSettings {
  return {
    timeZone: timezone,
    maxParallel: cron.max_parallel ?? DEFAULT_CRON.maxParallel,
    wrapResponse: cron.wrap_response ?? DEFAULT_CRON.wrapResponse,
    scriptTimeoutSeconds: cron.script_timeout_seconds ?? DEFAULT_CRON.scriptTimeoutSeconds,
  };
}
