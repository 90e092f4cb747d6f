/**
 * An error that is shown to the user: what happened and what to do next. Every other thrown error is a bug and is
 * shown as an internal error.
 */
export class HermesError extends Error {
  /** What the user can do about it, as one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }
}

/** Wrong usage or configuration: nothing was started and nothing was written. The process exits with code 2. */
export class ConfigurationError extends HermesError {}

/** The database file of the store was moved, deleted or replaced after it was opened. Nothing more can be stored. */
export class StoreReplaced extends HermesError {
  readonly file: string;
  readonly fate: { movedTo: string } | 'deleted' | 'replaced';

  constructor(file: string, fate: StoreReplaced['fate'], hint?: string) {
    const what = typeof fate === 'string' ? fate : `moved to ${fate.movedTo}`;
    const next = typeof fate === 'string' ? '' : ` To import what it contains: hermes sessions import ${fate.movedTo}`;
    super(`The session database ${file} was ${what} while this process was using it, so nothing more can be stored.`, {
      hint: hint ?? `Exit Hermes and start it again.${next}`,
    });
    this.file = file;
    this.fate = fate;
  }
}

/** The message of any thrown value. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : String(thrown);
}

/** The type name of any thrown value. */
export function errorType(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}

/** The kinds of failed model calls, distinguished as far as the recovery differs. */
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

/** The classification of a failed model call. All recovery decisions are based on it. */
export type ModelFailure = {
  kind: ModelErrorKind;
  /** The provider's error message with credentials redacted. */
  message: string;
  status?: number;
  /** The provider's error code or type, unchanged. */
  code?: string;
  /** Retrying the same request may succeed. */
  retryable: boolean;
  /** A smaller request may succeed. */
  compress: boolean;
  /** Another credential of the same provider may succeed. */
  rotateCredential: boolean;
  /** Another provider may succeed. */
  fallBack: boolean;
  /** The delay that the provider asked for. */
  retryAfterMs?: number;
  /** The parameter that the provider rejects, and the name it expects instead. */
  parameter?: { name: string; replacement?: string };
  /** The context window, if an overflow message contained it. */
  contextLimit?: number;
  /** The provider rejected the output limit of the request. */
  outputRefusal?: OutputRefusal;
};

/**
 * Why an output limit was rejected: it is above the limit of the model (`amount`), the account cannot pay for it
 * (`credits`), or the context window has no room for it after the prompt (`window`).
 */
export type OutputRefusal = {
  reason: 'amount' | 'credits' | 'window';
  /** The largest limit that the provider would accept, if the message states it. */
  accepted?: number;
  /** The limit that the provider applied, if the message states it; it may be the provider's own default. */
  requested?: number;
};

export class ModelError extends HermesError {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure, options: { cause?: unknown; hint?: string } = {}) {
    super(failure.message, options);
    this.failure = failure;
  }
}
