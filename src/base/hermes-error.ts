/**
 * An error meant for the person in front of the program: what happened, and what to do next. Anything else that is
 * thrown is a fault of ours and is shown as such.
 */
export class HermesError extends Error {
  /** What the reader can do about it, as one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }
}

/** Wrong usage or configuration: nothing was started, nothing was written. The process ends with code 2. */
export class ConfigurationError extends HermesError {}

/** The message of anything that can be thrown. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : String(thrown);
}

/** The type name of anything that can be thrown. */
export function errorType(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
