import { InvalidArgumentError } from 'commander';
import { LOG_LEVELS, type LogEntry, type LogLevel } from './log-entry.ts';

export type LogFilter = {
  level?: LogLevel;
  /** Milliseconds since 1970; what has no time of its own is left out. */
  since?: number;
  /** Ids of sessions, or beginnings of ids. */
  sessions?: readonly string[];
};

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

export function matchesFilter({ level, since, sessions }: LogFilter, entry: LogEntry): boolean {
  if (level !== undefined && LOG_LEVELS.indexOf(entry.level) < LOG_LEVELS.indexOf(level)) return false;
  if (since !== undefined && (entry.at === undefined || entry.at < since)) return false;
  const { sessionId } = entry;
  return sessions === undefined || (sessionId !== undefined && sessions.some((id) => sessionId.startsWith(id)));
}

/** `30m`, `2h`, `1d`, or a date: the moment from which on. */
export function parseSince(text: string, now = Date.now()): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim()) ?? [];
  const date = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  const time = count === undefined ? date : now - Number(count) * (UNITS[unit] ?? 0) * 1000;
  if (Number.isFinite(time)) return time;
  throw new InvalidArgumentError('It must be a time such as 30m, 2h, 1d, or a date such as 2026-05-01.');
}
