import { type CronExpression, CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { scaledRuns } from '../../test/support/dose.ts';
import { dueAt, planDue } from './due.ts';
import { nextRun } from './next-run.ts';
import { fromStored, parseSchedule, type Schedule, toStored } from './schedule.ts';
import { offsetAt as computeOffset, toIsoWithOffset } from './time-zone.ts';

const BERLIN = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);
const NOW = at('2026-11-16T12:00:00Z');
const parse = (text: string, timeZone = BERLIN) => parseSchedule(text, { now: NOW, timeZone });

/** The next times of a schedule, as local times of its zone. */
function nextTimes(schedule: Schedule, count = 3, after = NOW): string[] {
  const times: string[] = [];
  for (let time = nextRun(schedule, after, after); time !== undefined && times.length < count; ) {
    times.push(toIsoWithOffset(time, schedule.timeZone).replace(/:00([+-]\d{2}:\d{2})$/, '$1'));
    time = nextRun(schedule, time, after);
  }
  return times;
}

describe('a schedule', () => {
  verifies('SURF-6', 'is written as a duration, an interval, a cron expression, words or a time', () => {
    expect(parse('30m')).toMatchObject({ kind: 'once', at: NOW + 1_800_000 });
    expect(parse('2 hours')).toMatchObject({ kind: 'once', at: NOW + 7_200_000 });
    expect(parse('every 2h')).toMatchObject({ kind: 'interval', minutes: 120 });
    expect(parse('every hour')).toMatchObject({ kind: 'interval', minutes: 60 });
    expect(parse('2027-02-03T14:00')).toMatchObject({ kind: 'once', at: at('2027-02-03T13:00:00Z') });
    expect(parse('2027-02-03 14:00:00+05:30')).toMatchObject({ kind: 'once', at: at('2027-02-03T08:30:00Z') });
    const expressions = {
      '0 9 * * 1-5': '0 9 * * 1-5',
      '*/15 8-18 1,15 jan-mar mon': '*/15 8-18 1,15 jan-mar mon',
      '0 9 * * 1-5 30': '0 9 * * 1-5 30',
      '@daily': '0 0 * * *',
      'weekdays 8:30': '30 8 * * 1-5',
      'weekends at 10': '0 10 * * 0,6',
      'every monday 9:00': '0 9 * * 1',
      'every mon, wed and fri at 9:15pm': '15 21 * * 1,3,5',
      'Tuesdays 12am': '0 0 * * 2',
      'daily 7:05': '5 7 * * *',
      'every day at 09:00': '0 9 * * *',
      'every 1d at 09:00': '0 9 * * *',
    };
    for (const [text, expression] of Object.entries(expressions)) {
      expect([text, parse(text)]).toMatchObject([text, { kind: 'cron', expression, timeZone: BERLIN }]);
    }
  });

  verifies('CRON-4', 'has the time zone of its user, or its own, and optionally a jitter', () => {
    expect(parse('0 9 * * * tz=America/New_York ±5m')).toMatchObject({
      kind: 'cron',
      expression: '0 9 * * *',
      timeZone: 'America/New_York',
      jitterMs: 300_000,
    });
    expect(nextTimes(parse('daily 9:00 tz=Asia/Tokyo'), 1)).toEqual(['2026-11-17T09:00+09:00']);
    expect(() => parse('daily 9:00 tz=Mars/Olympus')).toThrow('Unknown time zone: “Mars/Olympus”.');
  });

  it('is refused with examples if it is not understood', () => {
    for (const text of [
      '',
      'sometimes',
      'every',
      '0m',
      'every 0h',
      'monday 25:00',
      'every 13pm',
      '* * *',
      '2027-02-30T10:00',
      '9',
      'every blue 9:00',
      '1 2 3 4 5 6 7',
    ]) {
      expect(() => parse(text), text).toThrow(`Unknown schedule: “${text}”.`);
    }
    expect(() => nextTimes(parse('61 9 * * *'))).toThrow('The cron expression “61 9 * * *” is not valid');
    expect(() => nextTimes(parse('0 0 30 2 *'))).toThrow('The cron expression “0 0 30 2 *” is not valid');
  });

  verifies('CRON-4', 'follows changes of the clock: a skipped time is shifted, a repeated one runs once', () => {
    const newYork = (text: string) => parse(text, 'America/New_York');
    expect(nextTimes(newYork('30 2 * * *'), 3, at('2026-03-07T12:00:00Z'))).toEqual([
      '2026-03-08T03:30-04:00',
      '2026-03-09T02:30-04:00',
      '2026-03-10T02:30-04:00',
    ]);
    expect(nextTimes(newYork('30 1 * * *'), 2, at('2026-10-31T12:00:00Z'))).toEqual([
      '2026-11-01T01:30-04:00',
      '2026-11-02T01:30-05:00',
    ]);
    expect(nextTimes(newYork('0 * * * *'), 3, at('2026-11-01T04:30:00Z'))).toEqual([
      '2026-11-01T01:00-04:00',
      '2026-11-01T01:00-05:00',
      '2026-11-01T02:00-05:00',
    ]);
    expect(newYork('2026-03-08T02:30')).toMatchObject({ at: at('2026-03-08T07:30:00Z') });
    expect(newYork('2026-11-01T01:30')).toMatchObject({ at: at('2026-11-01T05:30:00Z') });
  });

  verifies('SURF-6', 'is stored in the format of the original, and read back', () => {
    for (const text of ['30m', 'every 2h', '0 9 * * 1-5 30', '2027-02-03T14:00', 'daily 9:00 tz=UTC ±5m']) {
      const schedule = parse(text);
      expect(fromStored(toStored(schedule), 'Asia/Tokyo')).toEqual(schedule);
    }
    expect(toStored(parse('2027-02-03T14:00'))).toEqual({
      kind: 'once',
      run_at: '2027-02-03T14:00:00+01:00',
      display: 'once at 2027-02-03T14:00',
      tz: BERLIN,
    });
    // The original has no zone in a job, and may have times without an offset.
    expect(fromStored({ kind: 'once', run_at: '2027-02-03T14:00:00' }, BERLIN)).toMatchObject({
      at: at('2027-02-03T13:00:00Z'),
    });
    expect(fromStored({ kind: 'cron', expr: '0 9 * * *', display: '0 9 * * *' }, BERLIN)).toMatchObject({
      timeZone: BERLIN,
    });
    for (const stored of [
      undefined,
      null,
      'x',
      {},
      { kind: 'once' },
      { kind: 'interval', minutes: 0 },
      { kind: 'moon' },
    ]) {
      expect(fromStored(stored, BERLIN)).toBeUndefined();
    }
  });
});

const offsets = new Map<string, number>();

/** Clocks change at full quarters of an hour, so one computation is enough for each. */
function offsetAt(time: number, timeZone: string): number {
  const key = `${timeZone} ${Math.floor(time / 900_000)}`;
  const offset = offsets.get(key) ?? computeOffset(time, timeZone);
  offsets.set(key, offset);
  return offset;
}

const ZONES = [
  'UTC',
  BERLIN,
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Pacific/Apia',
];
/** Days around changes of the clock, and ordinary ones. */
const MOMENTS = [
  '2026-03-07',
  '2026-03-28',
  '2026-04-04',
  '2026-10-03',
  '2026-10-24',
  '2026-10-31',
  '2026-02-27',
  '2026-12-30',
];

const field = (from: number, to: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: fc.integer({ min: from, max: to }).map(String) },
    fc
      .uniqueArray(fc.integer({ min: from, max: to }), { minLength: 2, maxLength: 4 })
      .map((values) => values.toSorted((a, b) => a - b).join(',')),
    fc
      .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 2, max: Math.max(2, Math.floor((to - from) / 2)) }).map((step) => `*/${step}`),
  );
/** Dates such as April 31 are refused. */
function isPossible(expression: string): boolean {
  try {
    CronExpressionParser.parse(expression);
    return true;
  } catch {
    return false;
  }
}

const anyExpression = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
  .map((fields) => fields.join(' '))
  .filter(isPossible);
const anyMoment = fc
  .tuple(fc.constantFrom(...MOMENTS), fc.integer({ min: 0, max: 86_399 }))
  .map(([day, second]) => at(`${day}T00:00:00Z`) + second * 1000);

/** Whether a field such as `1,3-5` or a step contains a value. */
function contains(text: string, value: number, from: number): boolean {
  return text.split(',').some((part) => {
    const [range = '', step] = part.split('/');
    const [low, high] = range === '*' ? [from, Number.POSITIVE_INFINITY] : range.split('-').map(Number);
    return value >= (low ?? 0) && value <= (high ?? low ?? 0) && (value - (low ?? 0)) % Number(step ?? 1) === 0;
  });
}

/** The first minute of the wall clock that an expression matches, found by trying all of them. */
function findByTrying(expression: string, timeZone: string, after: number): number | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ');
  for (let time = Math.floor(after / 60_000) * 60_000 + 60_000; time < after + 40 * 86_400_000; ) {
    const wall = new Date(time + offsetAt(time, timeZone));
    const isDay = contains(day, wall.getUTCDate(), 1);
    const isWeekday = contains(weekday, wall.getUTCDay(), 0);
    const isRightDay = day === '*' || weekday === '*' ? isDay && isWeekday : isDay || isWeekday;
    if (!isRightDay || !contains(month, wall.getUTCMonth() + 1, 1))
      time += (1440 - wall.getUTCHours() * 60 - wall.getUTCMinutes()) * 60_000;
    else if (contains(hour, wall.getUTCHours(), 0) && contains(minute, wall.getUTCMinutes(), 0)) return time;
    else time += 60_000;
  }
  return undefined;
}

/** At some changes of the clock by half an hour, the parser does not find the next time. */
function givesUp(parser: CronExpression): boolean {
  try {
    parser.next();
    return false;
  } catch {
    return true;
  } finally {
    parser.reset();
  }
}

describe('the next time of a cron expression', () => {
  it('is found where the parser gives up', () => {
    const schedule: Schedule = {
      kind: 'cron',
      expression: '0,1 2 1 1,4 */2',
      timeZone: 'Australia/Lord_Howe',
      jitterMs: 0,
      display: '',
    };
    const after = at('2026-04-04T00:00:00Z');
    expect(nextTimes(schedule, 2, after)).toEqual(['2026-04-05T02:00+10:30', '2026-04-05T02:01+10:30']);
  });

  it('is that of cron-parser', () => {
    fc.assert(
      fc.property(anyExpression, fc.constantFrom(...ZONES), anyMoment, (expression, timeZone, after) => {
        const schedule: Schedule = { kind: 'cron', expression, timeZone, jitterMs: 0, display: '' };
        const parser = CronExpressionParser.parse(expression, { currentDate: new Date(after), tz: timeZone });
        fc.pre(!givesUp(parser));
        const wanted = parser.next().getTime();
        expect(nextRun(schedule, after)).toBe(wanted);
      }),
      { numRuns: scaledRuns(3000) },
    );
  });

  it('is what trying every minute finds, where no change of the clock is near', () => {
    fc.assert(
      fc.property(anyExpression, fc.integer({ min: 0, max: 86_399 }), (expression, second) => {
        const after = at('2026-05-29T00:00:00Z') + second * 1000;
        const schedule: Schedule = { kind: 'cron', expression, timeZone: BERLIN, jitterMs: 0, display: '' };
        const wanted = findByTrying(expression, BERLIN, after);
        const found = nextRun(schedule, after);
        const isFar = found === undefined || found >= after + 39 * 86_400_000;
        expect(wanted ?? isFar).toBe(wanted === undefined ? true : found);
      }),
      { numRuns: scaledRuns(3000) },
    );
  });
});

describe('after five hours of sleep', () => {
  const cron = (expression: string, missed?: 'skip' | 'once' | 'all') => {
    const schedule: Schedule = { kind: 'cron', expression, timeZone: 'UTC', jitterMs: 0, display: '' };
    return { id: 'j', schedule, planned: nextRun(schedule, NOW - 1) ?? 0, missed };
  };
  const hours = (...values: number[]) => values.map((value) => NOW + value * 3_600_000);
  const woken = NOW + 5 * 3_600_000 + 40 * 60_000;

  verifies('CRON-3', 'missed runs are skipped, run once or all run, as the job says', () => {
    expect(planDue(cron('0 * * * *', 'skip'), woken)).toEqual({
      run: undefined,
      rule: 'skip',
      skipped: hours(0, 1, 2, 3, 4, 5),
      next: NOW + 6 * 3_600_000,
    });
    expect(planDue(cron('0 * * * *', 'once'), woken)).toEqual({
      run: hours(5)[0],
      rule: 'once',
      skipped: hours(0, 1, 2, 3, 4),
      next: NOW + 6 * 3_600_000,
    });
    const made: (number | undefined)[] = [];
    let job = cron('0 * * * *', 'all');
    for (let plan = planDue(job, woken); plan.run !== undefined; plan = planDue(job, woken)) {
      made.push(plan.run);
      expect(plan.skipped).toEqual([]);
      job = { ...job, planned: plan.next ?? 0 };
    }
    expect(made).toEqual(hours(0, 1, 2, 3, 4, 5));
    expect(job.planned).toBe(NOW + 6 * 3_600_000);
  });

  verifies('CRON-3', 'daily and rarer jobs run once by default, others are skipped', () => {
    expect(planDue(cron('0 12 * * *'), woken)).toMatchObject({ run: NOW, skipped: [] });
    expect(planDue(cron('0 12 * * *'), NOW + 47 * 3_600_000)).toMatchObject({ run: hours(24)[0], skipped: hours(0) });
    expect(planDue(cron('0 * * * *'), woken)).toMatchObject({ run: undefined, skipped: hours(0, 1, 2, 3, 4, 5) });
    const once: Schedule = { kind: 'once', at: NOW, timeZone: 'UTC', jitterMs: 0, display: '' };
    expect(planDue({ id: 'j', schedule: once, planned: NOW }, woken)).toEqual({
      run: NOW,
      rule: 'once',
      skipped: [],
      next: undefined,
    });
    expect(planDue({ id: 'j', schedule: once, planned: NOW }, NOW + 25 * 3_600_000)).toMatchObject({
      run: undefined,
      skipped: [NOW],
    });
  });

  it('a run that is a little late is not missed', () => {
    expect(planDue(cron('0 * * * *', 'skip'), NOW + 60_000)).toMatchObject({ run: NOW, skipped: [] });
    expect(planDue(cron('0 * * * *'), NOW - 1)).toMatchObject({ run: undefined, skipped: [], next: NOW });
  });

  it('a year of seconds is planned quickly, and the newest runs are kept', () => {
    const year = NOW + 365 * 86_400_000;
    expect(planDue(cron('* * * * * *', 'all'), year)).toMatchObject({ run: year - 99_000, next: year - 98_000 });
    const { run, skipped, next } = planDue(cron('* * * * * *', 'once'), year);
    expect([run, skipped.length, next]).toEqual([year, 99, year + 1000]);
  });

  it('the next planned time is always later, and every due time runs or is skipped', () => {
    const anyJob = fc.record({
      expression: anyExpression,
      timeZone: fc.constantFrom(...ZONES),
      missed: fc.constantFrom('skip', 'once', 'all', undefined),
    });
    fc.assert(
      fc.property(
        anyJob,
        anyMoment,
        fc.integer({ min: 0, max: 3000 }),
        ({ expression, timeZone, missed }, start, minutes) => {
          const schedule: Schedule = { kind: 'cron', expression, timeZone, jitterMs: 0, display: '' };
          const planned = nextRun(schedule, start);
          if (planned === undefined) return;
          const now = planned + minutes * 60_000;
          const { run, skipped, next, rule } = planDue({ id: 'j', schedule, planned, missed }, now);
          const all = [...(run === undefined ? [] : [run]), ...skipped].toSorted((a, b) => a - b);
          expect(new Set(all).size).toBe(all.length);
          expect(all.length).toBeGreaterThan(0);
          expect(all.at(-1)).toBeLessThanOrEqual(now);
          expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(rule === 'all' ? (run ?? now) : now);
        },
      ),
      { numRuns: scaledRuns(200) },
    );
  });
});

it('a jitter stays within its limits and is the same everywhere', () => {
  const schedule: Schedule = { kind: 'interval', minutes: 60, timeZone: 'UTC', jitterMs: 300_000, display: '' };
  const starts = Array.from({ length: 200 }, (_, index) => dueAt({ id: 'j', schedule }, NOW + index) - NOW - index);
  expect(Math.max(...starts.map(Math.abs))).toBeLessThanOrEqual(300_000);
  expect(new Set(starts).size).toBeGreaterThan(150);
  expect(dueAt({ id: 'j', schedule }, NOW)).toBe(dueAt({ id: 'j', schedule }, NOW));
});
