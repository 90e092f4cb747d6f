import { ModelError } from '../../base/index.ts';
import { classifyFailure } from './classify-failure.ts';
import type { FailureFacts } from './error-body.ts';
import { adviceFor, factsOfNetworkError } from './failure-advice.ts';

/** Why a model call failed: what was thrown, or what the provider reported. */
export type CallFailure = { thrown: unknown } | { failure: FailureFacts };

/** Converts the failure of a call to `host`. Programming errors are rethrown. */
export function toModelError(failed: CallFailure, host: string, secrets: readonly string[]): ModelError {
  if ('thrown' in failed && failed.thrown instanceof ModelError) return failed.thrown;
  const facts = 'thrown' in failed ? factsOfNetworkError(failed.thrown, host) : failed.failure;
  const failure = classifyFailure(facts, secrets);
  return new ModelError(failure, { hint: adviceFor(failure) });
}
