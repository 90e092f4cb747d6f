import { isJsonObject, type JsonValue, parseJson } from '../../../base/index.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One line of a log, as far as it can be understood. */
export type LogEntry = {
  at: number | undefined;
  level: LogLevel;
  message: string;
  sessionId: string | undefined;
  fields: Readonly<Record<string, JsonValue>>;
};

/** A time and a level at the beginning, as other programs that share the folder write them. */
const PLAIN = /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)\S*\s.*?\b(DEBUG|INFO|WARN|ERROR|CRITICAL)/;
const PLAIN_LEVELS: Readonly<Record<string, LogLevel>> = {
  DEBUG: 'debug',
  WARN: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
};

/** Any line is an entry: what is not ours is shown as it is. */
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
