import { HermesError } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';

export type LoginFailureReason =
  /** The user or the provider rejected the login. */
  | 'denied'
  /** The code expired before it was used. */
  | 'expired'
  /** The refresh token is no longer accepted; a new login is required. */
  | 'ended'
  /** A temporary failure; a retry may succeed. */
  | 'temporary'
  /** A setting is missing or wrong. */
  | 'settings';

/** A login that failed or could not be refreshed. Its message contains no secrets. */
export class LoginFailure extends HermesError {
  readonly reason: LoginFailureReason;

  constructor(reason: LoginFailureReason, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

const MAX_WORDS_LENGTH = 200;
/** The minimum length of a secret to redact; shorter strings occur in ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** A message of a server on one line, without our secrets. */
export function redactMessage(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= MIN_SECRET_LENGTH) clean = clean.replaceAll(secret, '***');
  }
  const line = redactSecrets(clean).replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_WORDS_LENGTH ? `${line.slice(0, MAX_WORDS_LENGTH)} …` : line;
}
