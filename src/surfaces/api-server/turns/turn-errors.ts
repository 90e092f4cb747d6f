import { errorMessage, HermesError, type ModelErrorKind, type RunResult } from '../../../base/index.ts';
import { HttpError } from '../../../http/index.ts';
import { SessionHeld } from '../../../runtime/index.ts';

/** Hermes has retried already, and the turn may have had effects, so clients must not repeat the request. */
const NO_RETRY = { 'x-should-retry': 'false' } as const;

const STATUS: Partial<Record<ModelErrorKind, number>> = {
  context_overflow: 400,
  payload_too_large: 400,
  attachment_refused: 400,
  attachment_unsupported: 400,
  content_policy: 400,
  rate_limit: 429,
  overloaded: 503,
  timeout: 504,
  stream_stall: 504,
};

/** The error of a turn that has no answer; undefined if it has one, complete or not. */
export function errorOfResult(result: RunResult): HttpError | undefined {
  const { error, exitReason } = result;
  if (exitReason === 'interrupted')
    return new HttpError(499, 'interrupted', 'The turn was interrupted before it had an answer.', NO_RETRY);
  if (!result.failed && (result.finalResponse !== '' || exitReason === 'empty')) return undefined;
  if (exitReason === 'limit_reached')
    return new HttpError(429, 'insufficient_quota', error?.message ?? 'A spending limit is reached.', NO_RETRY);
  if (!result.failed) return undefined;
  const kind = error?.kind;
  const message = [error?.message ?? 'The turn failed.', error?.hint].filter(Boolean).join(' ');
  const code = kind === 'context_overflow' ? 'context_length_exceeded' : (kind ?? 'turn_failed');
  return new HttpError((kind && STATUS[kind]) ?? 502, code, message, NO_RETRY);
}

/** The error of a turn that did not start. */
export function errorOfStart(thrown: unknown): unknown {
  if (thrown instanceof HttpError) return thrown;
  if (thrown instanceof SessionHeld) return new HttpError(409, 'session_busy', errorMessage(thrown), NO_RETRY);
  if (thrown instanceof HermesError)
    return new HttpError(500, 'turn_failed', [thrown.message, thrown.hint].filter(Boolean).join(' '), NO_RETRY);
  return thrown;
}
