import { ModelError, type ModelErrorKind, type ModelFailure } from '../../base/index.ts';
import type { LoginFailure } from '../oauth/index.ts';
import type { CredentialPlan } from './credential-plan.ts';

/** A login that could not be made ready, as the loop understands it. */
export function loginError({ reason, message, hint }: LoginFailure): ModelError {
  const temporary = reason === 'temporary';
  return modelError(temporary ? 'connection' : 'auth_permanent', message, hint, temporary);
}

export function nothingLeft(plan: CredentialPlan): ModelError {
  const message = `There is no credential for ${plan.name} any more.`;
  return modelError('auth_permanent', message, `Add one with \`hermes auth add ${plan.pool}\`.`, false);
}

/** The pool has done what it can with its other credentials, so only time or another provider helps. */
function modelError(kind: ModelErrorKind, message: string, hint: string | undefined, retryable: boolean): ModelError {
  const failure: ModelFailure = { kind, message, retryable, compress: false, rotateCredential: false, fallBack: true };
  return new ModelError(failure, { hint });
}
