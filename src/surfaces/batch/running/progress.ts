/** Progress of a run. */
export type Progress = {
  /** Prompts that are to be done, those of earlier starts included. */
  total: number;
  kept: number;
  dropped: number;
  failed: number;
  running: number;
  usd: number;
  costKnown: boolean;
  /** Prompts per second, in this start; undefined before the first has ended. */
  perSecond: number | undefined;
  secondsLeft: number | undefined;
  /** What all workers wait for. */
  waiting: { until: number; reason: string } | undefined;
};

export type ProgressCounts = Pick<Progress, 'total' | 'kept' | 'dropped' | 'failed' | 'running'> & {
  /** In this start. */
  ended: number;
  startedAt: number;
};

/** Counts and what follows from them. */
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
