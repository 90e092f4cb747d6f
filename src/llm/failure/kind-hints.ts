import type { ModelErrorKind, ModelFailure } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';

export type FailureHints = Pick<ModelFailure, 'retryable' | 'compress' | 'rotateCredential' | 'fallBack'>;

// The same request would fail again; what has to change depends on the kind.
const CHANGE_NEEDED: FailureHints = { retryable: false, compress: false, rotateCredential: false, fallBack: true };
// The request is too large for other providers as well, so only compression helps.
const SMALLER: FailureHints = { retryable: false, compress: true, rotateCredential: false, fallBack: false };
// The request itself is valid, so a retry may succeed.
const AGAIN: FailureHints = { retryable: true, compress: false, rotateCredential: false, fallBack: true };
// The credential or its account is the problem, so another credential may succeed.
const OTHER_KEY: FailureHints = { retryable: false, compress: false, rotateCredential: true, fallBack: true };

/** The recoveries that can help, by kind; a row may override them. */
export const KIND_HINTS: Record<ModelErrorKind, FailureHints> = {
  context_overflow: SMALLER,
  payload_too_large: SMALLER,
  long_context_tier: SMALLER,
  rate_limit: { ...AGAIN, rotateCredential: true },
  overloaded: AGAIN,
  server_error: AGAIN,
  timeout: AGAIN,
  connection: AGAIN,
  stream_stall: AGAIN,
  auth: OTHER_KEY,
  auth_permanent: OTHER_KEY,
  billing: OTHER_KEY,
  model_not_found: CHANGE_NEEDED,
  thinking_signature: CHANGE_NEEDED,
  invalid_encrypted_content: CHANGE_NEEDED,
  unsupported_parameter: CHANGE_NEEDED,
  encoding: CHANGE_NEEDED,
  attachment_refused: CHANGE_NEEDED,
  attachment_unsupported: CHANGE_NEEDED,
  stream_refused: CHANGE_NEEDED,
  content_policy: CHANGE_NEEDED,
  format_error: CHANGE_NEEDED,
  invalid_response: AGAIN,
  unknown: AGAIN,
};

/** A failure that Hermes itself detected, so that nothing has to be classified. */
export function failureOfKind(kind: ModelErrorKind, message: string): ModelFailure {
  return { kind, message: redactSecrets(message), ...KIND_HINTS[kind] };
}
