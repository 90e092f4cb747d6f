import { createHash } from 'node:crypto';
import type { MissedRule } from '../contracts/index.ts';
import { graceOf, nextRun, periodOf } from './next-run.ts';
import type { Schedule } from './schedule.ts';

export type PlannedJob = {
  id: string;
  schedule: Schedule;
  /** The next planned time. */
  planned: number;
  /** Default: once for jobs that run daily or less often, if the run is at most a day late; otherwise skip. */
  missed?: MissedRule | undefined;
};

export type DuePlan = {
  /** The planned time that runs now. */
  run: number | undefined;
  /** Planned times that passed without a run. */
  skipped: readonly number[];
  /** The rule that decided about late runs. */
  rule: MissedRule;
  /** The next planned time, which has already come if all missed runs are made up for; undefined if there is none. */
  next: number | undefined;
};

const DAY_MS = 86_400_000;
/** Of more missed times, only the newest are considered. */
const MAX_MISSED = 100;
/** So many times are computed one by one. */
const MAX_STEPS = 500;

/** Decides what is due. `next` is the planned time itself if it has not come yet. */
export function planDue(job: PlannedJob, now: number): DuePlan {
  const { schedule } = job;
  const due = dueTimes(job, now);
  const [oldest, latest] = [due[0], due.at(-1)];
  if (latest === undefined) return { run: undefined, skipped: [], rule: job.missed ?? 'skip', next: job.planned };
  const rule = job.missed ?? defaultRule(job, now - latest);
  const next = nextRun(schedule, Math.max(latest, now - schedule.jitterMs), job.planned);
  const isOnTime = now - dueAt(job, latest) <= graceOf(schedule, latest);
  switch (rule) {
    case 'skip':
      return { run: isOnTime ? latest : undefined, skipped: isOnTime ? due.slice(0, -1) : due, rule, next };
    case 'once':
      return { run: latest, skipped: due.slice(0, -1), rule, next };
    case 'all':
      // One at a time: the others stay planned, so that none is lost if the process dies.
      return { run: oldest, skipped: [], rule, next: due[1] ?? next };
  }
}

function defaultRule({ schedule, planned }: PlannedJob, lateMs: number): MissedRule {
  return periodOf(schedule, planned) >= DAY_MS && lateMs <= DAY_MS ? 'once' : 'skip';
}

/** The planned times that have come, oldest first, at most the newest `MAX_MISSED`. */
function dueTimes(job: PlannedJob, now: number): number[] {
  const { schedule, planned } = job;
  const times: number[] = [];
  let count = 0;
  for (let time: number | undefined = planned; time !== undefined && dueAt(job, time) <= now; ) {
    times.push(time);
    count += 1;
    if (times.length > MAX_MISSED) times.shift();
    // After a long absence, times that are too old to be among the newest are omitted.
    const isFar = count === MAX_STEPS;
    const from = isFar ? Math.max(time, now - (2 * MAX_MISSED * (time - planned)) / count) : time;
    time = nextRun(schedule, from, planned);
  }
  return times;
}

/** When a planned time starts: with jitter, at a time around it that is the same in every process. */
export function dueAt({ id, schedule }: Pick<PlannedJob, 'id' | 'schedule'>, planned: number): number {
  if (schedule.jitterMs === 0) return planned;
  const share = createHash('sha256').update(`${id} ${planned}`).digest().readUInt32BE(0) / 2 ** 32;
  return planned + Math.round((share * 2 - 1) * schedule.jitterMs);
}
