/** The progress of a run. */
export type Progress = {
  /** All prompts of the run, including those of earlier invocations. */
  total: number;
  kept: number;
  dropped: number;
  failed: number;
  running: number;
  usd: number;
  costKnown: boolean;
  /** Prompts per second in this invocation; undefined until the first one has ended. */
  perSecond: number | undefined;
  secondsLeft: number | undefined;
  /** The rate limit that all workers wait for. */
  waiting: { until: number; reason: string } | undefined;
};

export type ProgressCounts = Pick<Progress, 'total' | 'kept' | 'dropped' | 'failed' | 'running'> & {
  /** Prompts that ended in this invocation. */
  ended: number;
  startedAt: number;
};

/** Computes the speed and the remaining time from the counts. */
export function toProgress(
  { ended, startedAt, ...counts }: ProgressCounts,
  others: Pick<Progress, 'usd' | 'costKnown' | 'waiting'>,
  now: number,
): Progress {
  const seconds = (now - startedAt) / 1000;
  const perSecond = ended === 0 || seconds <= 0 ? undefined : ended / seconds;
  const left = Math.max(0, counts.total - counts.kept - counts.dropped - counts.failed);
  return { ...counts, ...others, perSecond, secondsLeft: perSecond === undefined ? undefined : left / perSecond };
}
