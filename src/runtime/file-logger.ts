import { closeSync, fchmodSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, errorMessage, errorType, type JsonValue } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { isSecretName, makeFoldersSync, redactSecrets, runUnlessLocked } from '../util/index.ts';

export type FileLoggerOptions = {
  file: string;
  clock: Clock;
  /** Also write debug lines. */
  verbose?: boolean;
  maxBytes?: number;
  /** Total number of log files: the current one, `.1`, `.2`, … */
  files?: number;
};

type Level = 'debug' | 'info' | 'warn' | 'error';
type Fields = Record<string, JsonValue | undefined>;

const MAX_BYTES = 5 * 1024 * 1024;
const FILES = 3;
/** Longer lines are truncated, so that one line cannot push everything else out of the log. */
const MAX_LINE = 32_768;

/**
 * Writes one JSON object per line to a private file, with secrets redacted, rotated by size. The file is opened with
 * the first line. Lines are written synchronously, so that a crash does not lose them. Logging errors never affect a
 * turn.
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

/** Redacts values rather than the finished line, where escaped quotes would hide the boundaries of a secret. */
function withoutSecrets(key: string, value: JsonValue | undefined): JsonValue | undefined {
  const canHoldSecret = typeof value === 'string' || (typeof value === 'object' && value !== null);
  if (canHoldSecret && isSecretName(key)) return '***';
  return typeof value === 'string' ? redactSecrets(value) : value;
}

/** The error and its cause. Both are logged, because our own message may not name the file that is missing. */
function describeCause(cause: unknown): Fields {
  const name = (thrown: unknown) => `${errorType(thrown)}: ${errorMessage(thrown)}`;
  if (!(cause instanceof Error)) return { error: name(cause) };
  const because = cause.cause === undefined ? undefined : name(cause.cause);
  return { error: name(cause), because, stack: cause.stack };
}

/** Keeps the fields that readers filter by, plus the start of the line. */
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
    // A file created by another program or by hand may be readable by others.
    if ((stats.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
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
        // Other processes write to the same file, so its actual size is checked.
        if (fstatSync(target).size <= maxBytes) writeSync(target, `${line}\n`);
        else {
          // If another process has already rotated the file, only reopen it.
          runUnlessLocked(`${file}.lock`, () => {
            if (isStill(file, target)) rotate(file, files);
          });
          close();
          writeSync(open(), `${line}\n`);
        }
      } catch {
        // For example a full disk or a read-only home directory. The turn matters more than the log.
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
      // That file does not exist yet, or another process rotated first.
    }
  }
}
