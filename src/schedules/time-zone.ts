import { ConfigurationError } from '../base/index.ts';

export function assertTimeZone(timeZone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new ConfigurationError(`Unknown time zone: “${timeZone}”.`, {
      hint: 'Use a name such as `Europe/Berlin` or `UTC`.',
    });
  }
}

export function systemTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** A point in time in ISO 8601; without an offset it is a local time of the zone. Undefined if it is not valid. */
export function readLocalTime(text: string, timeZone: string): number | undefined {
  const match = ISO_TIME.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  const isReal = new Date(wall).getUTCDate() === day && month <= 12 && hour < 24 && minute < 60 && second < 60;
  if (!isReal) return undefined;
  const offset = match[8];
  if (offset === undefined) return fromWallTime(wall, timeZone);
  return wall - readOffset(offset);
}

function readOffset(text: string): number {
  if (/^z$/i.test(text)) return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))];
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** A wall time that a change of the clock skips is shifted by the gap; of a repeated one, the first is meant. */
function fromWallTime(wall: number, timeZone: string): number {
  const before = wall - offsetAt(wall - 86_400_000, timeZone);
  const after = wall - offsetAt(wall + 86_400_000, timeZone);
  const fits = [before, after].filter((at) => at + offsetAt(at, timeZone) === wall);
  return fits.length > 0 ? Math.min(...fits) : before;
}

/** The difference between the wall time of a zone and UTC, in milliseconds. */
export function offsetAt(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** `2027-02-03T14:00:00+01:00` */
export function toIsoWithOffset(at: number, timeZone: string): string {
  const offset = offsetAt(at, timeZone);
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${new Date(at + offset).toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
