import { isJsonObject, type JsonValue, parseJson } from '../../../base/index.ts';
import { localTime, redactSecrets } from '../../../util/index.ts';
import { InvalidValue } from '../commands/cli-command.ts';
import { printable, type Style } from '../style.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One parsed log line. */
type LogEntry = {
  at: number | undefined;
  level: LogLevel;
  message: string;
  sessionId: string | undefined;
  fields: Readonly<Record<string, JsonValue>>;
};

/** A time and a level at the start of a line, as written by other programs that log to the same folder. */
const PLAIN = /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)\S*\s.*?\b(DEBUG|INFO|WARN|ERROR|CRITICAL)/;
const PLAIN_LEVELS: Readonly<Record<string, LogLevel>> = {
  DEBUG: 'debug',
  WARN: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
};

/** Every line becomes an entry; lines in another format are shown unchanged. */
export function readLogLine(line: string): LogEntry {
  const value = parseJson(line);
  if (!isJsonObject(value)) return readPlainLine(line);
  const { at, level, message, sessionId, ...fields } = value;
  return {
    at: typeof at === 'string' ? timeOf(at) : undefined,
    level: LOG_LEVELS.find((known) => known === level) ?? 'info',
    message: typeof message === 'string' ? message : line,
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
    fields,
  };
}

function readPlainLine(line: string): LogEntry {
  const [, time = '', level = ''] = PLAIN.exec(line) ?? [];
  const at = time === '' ? undefined : timeOf(time.replace(' ', 'T'));
  return { at, level: PLAIN_LEVELS[level] ?? 'info', message: line, sessionId: undefined, fields: {} };
}

function timeOf(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Formats an entry for display. Secrets are redacted, because older files may have been written by programs that do
 * not redact them.
 */
export function formatEntry(entry: LogEntry, style: Style): string {
  const paints = { debug: style.dim, info: style.cyan, warn: style.yellow, error: style.red };
  const time = entry.at === undefined ? '' : `${style.dim(withSeconds(entry.at))} `;
  const level = paints[entry.level](entry.level.toUpperCase().padEnd(5));
  const fields = Object.entries(entry.fields)
    .filter(([name]) => name !== 'stack')
    .map(([name, value]) => ` ${style.dim(`${plain(name)}=`)}${plain(formatField(value))}`);
  const session = entry.sessionId === undefined ? '' : ` ${style.dim(`session=${plain(entry.sessionId)}`)}`;
  return `${time}${level} ${plain(entry.message)}${fields.join('')}${session}\n`;
}

function withSeconds(at: number): string {
  return `${localTime(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`;
}

function formatField(value: JsonValue): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function plain(text: string): string {
  return printable(redactSecrets(text));
}

export type LogFilter = {
  level?: LogLevel;
  /** Milliseconds since the epoch. Entries without a time are excluded. */
  since?: number;
  /** Session ids or prefixes of them. */
  sessions?: readonly string[];
};

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

export function matchesFilter({ level, since, sessions }: LogFilter, entry: LogEntry): boolean {
  if (level !== undefined && LOG_LEVELS.indexOf(entry.level) < LOG_LEVELS.indexOf(level)) return false;
  if (since !== undefined && (entry.at === undefined || entry.at < since)) return false;
  const { sessionId } = entry;
  return sessions === undefined || (sessionId !== undefined && sessions.some((id) => sessionId.startsWith(id)));
}

/** Parses `30m`, `2h`, `1d` or a date into a start time. */
export function parseSince(text: string, now = Date.now()): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim()) ?? [];
  const date = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  const time = count === undefined ? date : now - Number(count) * (UNITS[unit] ?? 0) * 1000;
  if (Number.isFinite(time)) return time;
  throw new InvalidValue('a duration such as 30m, 2h or 1d, or a date such as 2026-05-01');
}
