import { type CronExpression, CronExpressionParser } from 'cron-parser';
import { ConfigurationError, errorMessage } from '../base/index.ts';
import type { Schedule } from './schedule.ts';

/**
 * The first time after `after` at which a schedule is due; undefined if there is none. `anchor` is an earlier time at
 * which an interval was due. A local time that a change of the clock skips is shifted by the gap; of a repeated hour,
 * only the first counts, unless the expression means every hour.
 */
export function nextRun(schedule: Schedule, after: number, anchor = after): number | undefined {
  if (schedule.kind === 'once') return schedule.at > after ? schedule.at : undefined;
  if (schedule.kind === 'interval') {
    const period = schedule.minutes * 60_000;
    return anchor + Math.max(1, Math.floor((after - anchor) / period) + 1) * period;
  }
  return nextOf(schedule.expression, schedule.timeZone, after);
}

/** Throws if the expression is not valid. */
function nextOf(expression: string, timeZone: string, after: number): number | undefined {
  try {
    const parsed = parse(expression, timeZone);
    parsed.reset(new Date(after));
    return parsed.next().getTime();
  } catch (thrown) {
    const reason = errorMessage(thrown).replace(/\.+$/, '');
    if (/loop limit exceeded/.test(reason)) return findByTrying(expression, timeZone, after);
    throw new ConfigurationError(`The cron expression “${expression}” is not valid: ${reason}.`, {
      hint: 'The fields are minute, hour, day of the month, month, day of the week and, optionally, second.',
      cause: thrown,
    });
  }
}

/** The parser gives up at some changes of the clock by half an hour, as on Lord Howe Island. */
function findByTrying(expression: string, timeZone: string, after: number): number | undefined {
  const parsed = parse(expression, timeZone);
  const stepMs = expression.split(' ').length === 6 ? 1000 : 60_000;
  const start = Math.floor(after / stepMs) * stepMs;
  for (let time = start + stepMs; time <= start + 2 * DAY_MS; time += stepMs) {
    if (parsed.includesDate(new Date(time))) return time;
  }
  return undefined;
}

function parse(expression: string, timeZone: string): CronExpression {
  return CronExpressionParser.parse(secondsFirst(expression), { tz: timeZone });
}

/** The original has a sixth field for seconds at the end; the parser expects it at the start. */
function secondsFirst(expression: string): string {
  const fields = expression.split(' ');
  return fields.length === 6 ? [fields[5], ...fields.slice(0, 5)].join(' ') : expression;
}

const DAY_MS = 86_400_000;
const GRACE_MS = { min: 120_000, max: 7_200_000 };

/** A run that starts later than this after its time was missed: half the period, between 2 minutes and 2 hours. */
export function graceOf(schedule: Schedule, planned: number): number {
  if (schedule.kind === 'once') return GRACE_MS.min;
  return Math.min(GRACE_MS.max, Math.max(GRACE_MS.min, periodOf(schedule, planned) / 2));
}

/** The time between two runs, around a planned one. */
export function periodOf(schedule: Schedule, planned: number): number {
  if (schedule.kind === 'interval') return schedule.minutes * 60_000;
  return (nextRun(schedule, planned) ?? Number.POSITIVE_INFINITY) - planned;
}
