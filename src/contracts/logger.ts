import type { JsonValue } from '../base/index.ts';

/** Where the whole story goes. Secrets are removed by the logger, not by its callers. */
export interface Logger {
  debug(message: string, fields?: Record<string, JsonValue | undefined>): void;
  info(message: string, fields?: Record<string, JsonValue | undefined>): void;
  warn(message: string, fields?: Record<string, JsonValue | undefined>): void;
  error(message: string, fields?: Record<string, JsonValue | undefined>, cause?: unknown): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
