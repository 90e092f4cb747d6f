import { closeSync, fchmodSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, errorMessage, errorType, type JsonValue } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { isSecretName, redactSecrets } from '../util/index.ts';

export type FileLoggerOptions = {
  file: string;
  clock: Clock;
  /** Debug lines are written as well. */
  verbose?: boolean;
  maxBytes?: number;
  /** How many files there are in all: the current one, `.1`, `.2`, … */
  files?: number;
};

type Level = 'debug' | 'info' | 'warn' | 'error';
type Fields = Record<string, JsonValue | undefined>;

const MAX_BYTES = 5 * 1024 * 1024;
const FILES = 3;
/** One line is never allowed to push everything else out of the log. */
const MAX_LINE = 32_768;

/**
 * One JSON object per line in a private file, secrets removed, rotated by size. The file is opened with the first line
 * and written at once: a log that is lost in a crash is no log. Trouble with it never disturbs a turn.
 */
export function createFileLogger(options: FileLoggerOptions): Logger & { close(): void } {
  const file = createRotatingFile(options);
  const write = (level: Level, message: string, fields: Fields = {}, cause?: unknown) => {
    const at = new Date(options.clock.now()).toISOString();
    const reason = cause === undefined ? {} : describeCause(cause);
    file.append(fit(JSON.stringify({ at, level, message, ...fields, ...reason }, withoutSecrets)));
  };
  return {
    debug: (message, fields) => (options.verbose ? write('debug', message, fields) : undefined),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields, cause) => write('error', message, fields, cause),
    close: file.close,
  };
}

/** Works on the values and not on the finished line, where escaped quotes hide what is a secret and what is JSON. */
function withoutSecrets(key: string, value: JsonValue | undefined): JsonValue | undefined {
  const canHoldSecret = typeof value === 'string' || (typeof value === 'object' && value !== null);
  if (canHoldSecret && isSecretName(key)) return '***';
  return typeof value === 'string' ? redactSecrets(value) : value;
}

function describeCause(cause: unknown): Fields {
  const stack = cause instanceof Error ? cause.stack : undefined;
  return { error: `${errorType(cause)}: ${errorMessage(cause)}`, stack };
}

function fit(line: string): string {
  return line.length <= MAX_LINE ? line : JSON.stringify({ truncated: line.slice(0, MAX_LINE) });
}

function createRotatingFile(options: FileLoggerOptions): { append(line: string): void; close(): void } {
  const { file, maxBytes = MAX_BYTES, files = FILES } = options;
  let descriptor: number | undefined;
  let size = 0;

  const open = () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    descriptor = openSync(file, 'a', 0o600);
    const stats = fstatSync(descriptor);
    size = stats.size;
    // One that was made by another program, or by hand, may be open to others.
    if ((stats.mode & 0o077) !== 0 && process.platform !== 'win32') fchmodSync(descriptor, 0o600);
    return descriptor;
  };
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    append(line) {
      try {
        if (size > maxBytes) {
          close();
          rotate(file, files);
        }
        size += writeSync(descriptor ?? open(), `${line}\n`);
      } catch {
        // A full disk or a read-only home: the turn matters more than its log.
      }
    },
    close,
  };
}

function rotate(file: string, files: number): void {
  for (let number = files - 1; number > 0; number -= 1) {
    try {
      renameSync(number === 1 ? file : `${file}.${number - 1}`, `${file}.${number}`);
    } catch {
      // Not every number exists yet, or another process was quicker.
    }
  }
}
