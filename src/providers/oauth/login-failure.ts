import { HermesError } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';

export type LoginFailureReason =
  /** The person, or the provider, said no. */
  | 'denied'
  /** The code ran out before it was used. */
  | 'expired'
  /** The login is over: its refresh token is not taken any more. */
  | 'ended'
  /** Nothing is wrong with the login; another try may do. */
  | 'temporary'
  /** A setting is missing or wrong. */
  | 'settings';

/** A login that could not be made or renewed. Nothing secret is in its words. */
export class LoginFailure extends HermesError {
  readonly reason: LoginFailureReason;

  constructor(reason: LoginFailureReason, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

const MAX_WORDS_LENGTH = 200;
/** Shorter texts are parts of ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** What a server said, without what it may have repeated of our secrets, on one line. */
export function safeWords(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= MIN_SECRET_LENGTH) clean = clean.replaceAll(secret, '***');
  }
  const line = redactSecrets(clean).replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_WORDS_LENGTH ? `${line.slice(0, MAX_WORDS_LENGTH)} …` : line;
}
