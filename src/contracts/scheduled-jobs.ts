/** What happens to planned times at which no process was running. */
export type MissedRule = 'skip' | 'once' | 'all';

/** A run that is due while an earlier one of the same job is running is skipped, or waits for it. */
export type OverlapRule = 'skip' | 'queue';

/** The chat in which a job was created, with the names of the original's `jobs.json`. */
export type JobOrigin = { platform: string; chat_id: string; chat_name?: string; thread_id?: string };

/** Limits of one run; the general ones apply where a job has none. */
export type JobLimits = { session_usd?: number; session_tokens?: number; turn_seconds?: number };

/** What a user sets. Undefined leaves a field as it is. */
export type JobFields = {
  name?: string | undefined;
  prompt?: string | undefined;
  skills?: readonly string[] | undefined;
  /** `local`, `origin`, `all`, or targets of the `send_message` tool, separated by commas. */
  deliver?: string | undefined;
  /** How often the job runs; 0 means forever. */
  repeat?: number | undefined;
  /** A file in `scripts/` of the home directory. An empty text removes it. */
  script?: string | undefined;
  /** The output of the script is the answer, without a model. */
  noAgent?: boolean | undefined;
  /** Jobs whose last answers are added to the prompt. */
  contextFrom?: readonly string[] | undefined;
  workdir?: string | undefined;
  /** Empty texts remove the pinned model. */
  model?: string | undefined;
  provider?: string | undefined;
  missed?: MissedRule | undefined;
  overlap?: OverlapRule | undefined;
  /** A run whose process died is repeated once. */
  rerunUnknown?: boolean | undefined;
  maxTurns?: number | undefined;
  limits?: JobLimits | undefined;
  origin?: JobOrigin | undefined;
};

/** A job as users and models see it. Times are in milliseconds since 1970. */
export type JobSummary = {
  id: string;
  name: string;
  prompt: string;
  /** As the user wrote it. */
  schedule: string;
  timeZone: string;
  state: 'scheduled' | 'paused' | 'completed';
  pausedReason: string | undefined;
  nextRunAt: number | undefined;
  lastRunAt: number | undefined;
  lastStatus: string | undefined;
  lastError: string | undefined;
  lastDeliveryError: string | undefined;
  deliver: string;
  skills: readonly string[];
  script: string | undefined;
  isScriptOnly: boolean;
  model: string | undefined;
  repeat: { times: number | undefined; completed: number };
  missed: MissedRule | undefined;
  overlap: OverlapRule;
};

/** The scheduled jobs of a home directory or a database. A job is named by its id, the start of its id or its name. */
export interface ScheduledJobs {
  /** In the order of their creation. */
  list(): Promise<JobSummary[]>;
  find(reference: string): Promise<JobSummary>;
  /** Throws `ConfigurationError` if the schedule, the delivery target or the script cannot be used. */
  create(schedule: string, fields: JobFields): Promise<JobSummary>;
  edit(reference: string, changes: JobFields & { schedule?: string | undefined }): Promise<JobSummary>;
  pause(reference: string, reason?: string): Promise<JobSummary>;
  resume(reference: string): Promise<JobSummary>;
  remove(reference: string): Promise<JobSummary>;
  /** Asks the scheduler to run a job now, also if it is paused. Its next planned time stays as it is. */
  requestRun(reference: string): Promise<JobSummary>;
  /** The next planned times of a schedule that is not stored. */
  preview(schedule: string, count: number): Promise<{ times: readonly number[]; timeZone: string }>;
}
