import type { JsonValue } from '../base/index.ts';

/** The log. The logger redacts secrets, so callers need not. */
export interface Logger {
  debug(message: string, fields?: Record<string, JsonValue | undefined>): void;
  info(message: string, fields?: Record<string, JsonValue | undefined>): void;
  warn(message: string, fields?: Record<string, JsonValue | undefined>): void;
  error(message: string, fields?: Record<string, JsonValue | undefined>, cause?: unknown): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
