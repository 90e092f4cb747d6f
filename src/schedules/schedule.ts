import { ConfigurationError, isJsonObject, type JsonObject } from '../base/index.ts';
import { assertTimeZone, readLocalTime, toIsoWithOffset } from './time-zone.ts';

/**
 * When a job runs. The fields of `stored` are those of the original's `jobs.json`; `tz` and `jitter_seconds` are ours.
 */
export type Schedule = { timeZone: string; jitterMs: number; display: string } & (
  | { kind: 'once'; at: number }
  | { kind: 'interval'; minutes: number }
  | { kind: 'cron'; expression: string }
);

type ParseOptions = { now: number; timeZone: string };

const UNITS: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };
const DURATION = /^(\d{1,6})\s*(m|mins?|minutes?|h|hrs?|hours?|d|days?)$/i;
const CLOCK_TIME = /^(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?$/i;
const DAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};
const EXAMPLES =
  '`30m`, `every 2h`, `0 9 * * 1-5`, `weekdays 8:30`, `every monday 9:00`, `@daily` or `2027-02-03T14:00`';
const MAX_MINUTES = 5 * 365 * 1440;

/** Reads a schedule as users write it. `tz=ZONE` and a jitter such as `±5m` may follow. */
export function parseSchedule(text: string, options: ParseOptions): Schedule {
  const { rest, timeZone, jitterMs } = takeSuffixes(text.trim().replace(/\s+/g, ' '), options.timeZone);
  const common = { timeZone, jitterMs, display: rest };
  const minutes = readDuration(rest);
  if (minutes !== undefined) {
    return { ...common, kind: 'once', at: options.now + minutes * 60_000, display: `once in ${rest}` };
  }
  const interval = /^every\s+(.+)$/i.exec(rest)?.[1];
  const every = interval === undefined ? undefined : readDuration(interval);
  if (every !== undefined) return { ...common, kind: 'interval', minutes: every };
  if (/^every (?:hour|minute)$/i.test(rest)) {
    return { ...common, kind: 'interval', minutes: /hour/i.test(rest) ? 60 : 1 };
  }
  const expression = NAMED[rest.toLowerCase()] ?? readWords(rest) ?? readExpression(rest);
  if (expression !== undefined) return { ...common, kind: 'cron', expression };
  const at = readLocalTime(rest, timeZone);
  if (at === undefined) throw unknownSchedule(text);
  return { ...common, kind: 'once', at, display: `once at ${rest}` };
}

function unknownSchedule(text: string): ConfigurationError {
  return new ConfigurationError(`Unknown schedule: “${text}”.`, { hint: `Examples: ${EXAMPLES}.` });
}

function takeSuffixes(text: string, defaultZone: string): { rest: string; timeZone: string; jitterMs: number } {
  let [rest, timeZone, jitterMs] = [text, defaultZone, 0];
  for (;;) {
    const zone = /^(.+) tz=(\S+)$/i.exec(rest);
    const jitter = /^(.+) (?:±|\+-|\+\/-)(\S+)$/.exec(rest);
    if (zone !== null) [, rest = '', timeZone = ''] = zone;
    else if (jitter !== null) {
      rest = jitter[1] ?? '';
      const minutes = readDuration(jitter[2] ?? '');
      if (minutes === undefined) throw unknownSchedule(text);
      jitterMs = minutes * 60_000;
    } else {
      assertTimeZone(timeZone);
      return { rest, timeZone, jitterMs };
    }
  }
}

/** In minutes. */
function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const minutes = Number(count) * (UNITS[unit.charAt(0).toLowerCase()] ?? Number.NaN);
  return minutes > 0 && minutes <= MAX_MINUTES ? minutes : undefined;
}

/** `weekdays 8:30`, `every monday 9:00`, `every mon, wed at 9am`, `daily 9:00`, `every 1d at 09:00`. */
function readWords(text: string): string | undefined {
  const [, days = '', time = ''] =
    /^(?:every )?([a-z0-9, ]*?[a-z]),? ((?:at )?\d{1,2}(?::\d{2})?\s*(?:am|pm)?)$/i.exec(text) ?? [];
  const clock = readClockTime(time);
  const weekdays = readDays(days.toLowerCase());
  return clock === undefined || weekdays === undefined ? undefined : `${clock.minute} ${clock.hour} * * ${weekdays}`;
}

function readClockTime(text: string): { hour: number; minute: number } | undefined {
  const [, hours, minutes = '0', half] = CLOCK_TIME.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const [given, minute] = [Number(hours), Number(minutes)];
  if (half !== undefined && (given < 1 || given > 12)) return undefined;
  const hour = half === undefined ? given : (given % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return hour < 24 && minute < 60 ? { hour, minute } : undefined;
}

function readDays(text: string): string | undefined {
  if (/^(?:daily|day|1 ?d(?:ay)?)$/.test(text)) return '*';
  if (/^weekdays?$/.test(text)) return '1-5';
  if (/^weekends?$/.test(text)) return '0,6';
  const numbers = text.split(/(?:, ?| and | )/).map((word) => {
    const name = word.replace(/s$/, '');
    return name.length < 3 ? -1 : DAY_NAMES.findIndex((day) => day.startsWith(name) || day === word);
  });
  return numbers.includes(-1) ? undefined : numbers.toSorted((a, b) => a - b).join(',');
}

/** Five fields, or six with the seconds last, as the original has them. The values are checked by the first use. */
function readExpression(text: string): string | undefined {
  const fields = text.split(' ');
  const areFields = fields.every((field) =>
    /^[\d*,/?#LW-]+$|^[\dA-Za-z*,/?#-]*\d?(?:[A-Za-z]{3})[\dA-Za-z*,/?#-]*$/.test(field),
  );
  return (fields.length === 5 || fields.length === 6) && areFields ? text : undefined;
}

/** As the original stores it, with our own fields where they are needed. */
export function toStored(schedule: Schedule): JsonObject {
  const own: JsonObject = { tz: schedule.timeZone };
  if (schedule.jitterMs > 0) own['jitter_seconds'] = schedule.jitterMs / 1000;
  const { display } = schedule;
  if (schedule.kind === 'once')
    return { kind: 'once', run_at: toIsoWithOffset(schedule.at, schedule.timeZone), display, ...own };
  if (schedule.kind === 'interval') return { kind: 'interval', minutes: schedule.minutes, display, ...own };
  return { kind: 'cron', expr: schedule.expression, display, ...own };
}

/** Undefined for a schedule that this version does not understand. */
export function fromStored(stored: unknown, defaultZone: string): Schedule | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { kind, tz, jitter_seconds: jitter, display, run_at: runAt, minutes, expr } = stored;
  const timeZone = typeof tz === 'string' ? tz : defaultZone;
  const text = typeof display === 'string' ? display : '';
  const common = { timeZone, jitterMs: typeof jitter === 'number' ? jitter * 1000 : 0, display: text };
  if (kind === 'once' && typeof runAt === 'string') {
    const at = readLocalTime(runAt, timeZone);
    return at === undefined ? undefined : { ...common, kind, at };
  }
  if (kind === 'interval' && typeof minutes === 'number' && minutes > 0) return { ...common, kind, minutes };
  if (kind === 'cron' && typeof expr === 'string') return { ...common, kind, expression: expr };
  return undefined;
}
