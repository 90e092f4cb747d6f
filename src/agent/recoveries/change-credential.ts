import { changeCredential as change } from '../change-credential.ts';
import type { Recovery } from './recovery.ts';

/** The provider rejected the credential: refresh it once, then use another credential of the same provider. */
export const changeCredential: Recovery = {
  name: 'change-credential',
  applies: (problem, turn) =>
    problem.type === 'failure' && problem.failure.rotateCredential && turn.routes.current().credentials !== undefined,
  async apply(problem, turn) {
    const pool = turn.routes.current().credentials;
    if (!pool || problem.type !== 'failure') return 'pass';
    const tries = turn.state.step.credentialAttempts;
    const { changed, retryAfterMs } = await change(pool, problem.failure, { tries, now: turn.clock.now() });
    if (changed) return 'retry';
    // Later recoveries wait for the first credential that becomes available, not for this one.
    problem.failure = { ...problem.failure, retryAfterMs };
    return 'pass';
  },
};
