import { changeCredential as change } from '../change-credential.ts';
import type { Recovery } from './recovery.ts';

/** The credential is the trouble: renew it once, then take another one of the same provider. */
export const changeCredential: Recovery = {
  name: 'change-credential',
  applies: (trouble, turn) =>
    trouble.type === 'failure' && trouble.failure.rotateCredential && turn.routes.current().credentials !== undefined,
  async apply(trouble, turn) {
    const pool = turn.routes.current().credentials;
    if (!pool || trouble.type !== 'failure') return 'pass';
    const tries = turn.state.step.credentialTries;
    const { changed, retryAfterMs } = await change(pool, trouble.failure, { tries, now: turn.clock.now() });
    if (changed) return 'retry';
    // What comes next waits for the first credential that is ready, and not for this one.
    trouble.failure = { ...trouble.failure, retryAfterMs };
    return 'pass';
  },
};
