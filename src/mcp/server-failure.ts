import { HermesError } from '../base/index.ts';

/**
 * Why a server cannot be used. `login`: only the person can help. `settings`: the file has to be changed first.
 * `unreachable`: another try may help. `flood`: it sent more than is ever taken in.
 */
export type FailureKind = 'unreachable' | 'login' | 'settings' | 'flood';

export class ServerFailure extends HermesError {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}
