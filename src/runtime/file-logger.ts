import { closeSync, fchmodSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, errorMessage, errorType, type JsonValue } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { isSecretName, makeFoldersSync, redactSecrets } from '../util/index.ts';

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
    const line = JSON.stringify({ at, level, message, ...fields, ...reason }, withoutSecrets);
    file.append(line.length <= MAX_LINE ? line : shorten(line, { at, level, message, sessionId: fields['sessionId'] }));
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

/** What was thrown, and what it was thrown for: words of ours may leave out which file was missing. */
function describeCause(cause: unknown): Fields {
  const name = (thrown: unknown) => `${errorType(thrown)}: ${errorMessage(thrown)}`;
  if (!(cause instanceof Error)) return { error: name(cause) };
  const because = cause.cause === undefined ? undefined : name(cause.cause);
  return { error: name(cause), because, stack: cause.stack };
}

/** What a reader looks for stays in its place; the rest is the beginning of the line. */
function shorten(line: string, { message, ...known }: Fields & { message: string }): string {
  return JSON.stringify(
    { ...known, message: message.slice(0, 1_000), truncated: line.slice(0, MAX_LINE) },
    withoutSecrets,
  );
}

function createRotatingFile(options: FileLoggerOptions): { append(line: string): void; close(): void } {
  const { file, maxBytes = MAX_BYTES, files = FILES } = options;
  let descriptor: number | undefined;

  const open = () => {
    makeFoldersSync(dirname(file), { mode: 0o700 });
    descriptor = openSync(file, 'a', 0o600);
    const stats = fstatSync(descriptor);
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
        const target = descriptor ?? open();
        // Others write to the same file: its size is what counts, and not what came from here.
        if (fstatSync(target).size <= maxBytes) writeSync(target, `${line}\n`);
        else {
          // One that another process has put aside already is only left.
          if (isStill(file, target)) rotate(file, files);
          close();
          writeSync(open(), `${line}\n`);
        }
      } catch {
        // A full disk or a read-only home: the turn matters more than its log.
      }
    },
    close,
  };
}

function isStill(file: string, descriptor: number): boolean {
  return statSync(file, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
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
