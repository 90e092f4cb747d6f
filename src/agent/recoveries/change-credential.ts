import { failureOf, firstTime, type Recovery } from './recovery.ts';

/** The credential is the trouble: renew it once, then take another one of the same provider. */
export const changeCredential: Recovery = {
  name: 'change-credential',
  applies: (trouble, turn) =>
    trouble.type === 'failure' && trouble.failure.rotateCredential && turn.routes.current().credentials !== undefined,
  async apply(trouble, turn) {
    const pool = turn.routes.current().credentials;
    if (!pool || trouble.type !== 'failure') return 'pass';
    const { kind, retryAfterMs } = trouble.failure;
    const renewable = failureOf(trouble, ['auth']) !== undefined && firstTime(turn, 'refresh credential');
    if (renewable && (await pool.refresh())) return 'retry';
    if (!(await pool.rotate(kind, retryAfterMs))) return 'pass';
    return 'retry';
  },
};
