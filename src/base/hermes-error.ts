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

/** Every way a model call can go wrong, as far as it matters for what to do next. */
export const MODEL_ERROR_KINDS = [
  'context_overflow',
  'payload_too_large',
  'long_context_tier',
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
  'connection',
  'stream_stall',
  'auth',
  'auth_permanent',
  'billing',
  'model_not_found',
  'thinking_signature',
  'invalid_encrypted_content',
  'unsupported_parameter',
  'encoding',
  'attachment_refused',
  'attachment_unsupported',
  'stream_refused',
  'content_policy',
  'format_error',
  'invalid_response',
  'unknown',
] as const;

export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number];

/** A failed call, classified once; recoveries look at this and at nothing else. */
export type ModelFailure = {
  kind: ModelErrorKind;
  /** The provider's own words, credentials removed. */
  message: string;
  status?: number;
  /** The provider's error code or type, as it was sent. */
  code?: string;
  /** Trying the same request again can help. */
  retryable: boolean;
  /** A smaller request can help. */
  compress: boolean;
  /** Another credential of the same provider can help. */
  rotateCredential: boolean;
  /** Another provider can help. */
  fallBack: boolean;
  /** How long the provider asked us to wait. */
  retryAfterMs?: number;
  /** The parameter the provider does not take, and the name it wants instead. */
  parameter?: { name: string; replacement?: string };
  /** The context window, if an overflow message contained it. */
  contextLimit?: number;
};

export class ModelError extends HermesError {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure, options: { cause?: unknown; hint?: string } = {}) {
    super(failure.message, options);
    this.failure = failure;
  }
}
