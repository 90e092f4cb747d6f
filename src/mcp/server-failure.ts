import { HermesError } from '../base/index.ts';

/**
 * Why a server cannot be used. `login`: the user has to log in. `settings`: the configuration must be fixed.
 * `unreachable`: a retry may help. `flood`: it sent a message larger than the limit.
 */
export type FailureKind = 'unreachable' | 'login' | 'settings' | 'flood';

export class ServerFailure extends HermesError {
  readonly kind: FailureKind;
  /** Whether the message is written by Hermes and quotes nothing from the server, like those about settings. */
  readonly isOwnText: boolean;

  constructor(
    kind: FailureKind,
    message: string,
    options: { hint?: string; cause?: unknown; isOwnText?: boolean } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.isOwnText = options.isOwnText ?? kind === 'settings';
  }
}
