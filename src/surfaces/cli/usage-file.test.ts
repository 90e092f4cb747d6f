import { describe, expect, it } from 'vitest';
import { resultWith } from '../../../test/support/run-result.ts';
import { NO_USAGE } from '../../base/index.ts';
import { usageOf, usageOfFailure } from './usage-file.ts';

describe('the usage record', () => {
  it('has the same keys for a turn and for a failed start', () => {
    const failed = usageOfFailure('no', 2);
    expect(Object.keys(failed)).toEqual(Object.keys(usageOf(resultWith({}))));
    expect(failed).toMatchObject({ exit_reason: 'failed', exit_code: 2, error: 'no', session_id: null });
  });

  it('reports the share of auxiliary tasks, and zeros if there were none', () => {
    const usage = { ...NO_USAGE, input: 7, output: 3 };
    const auxiliary = { calls: 2, usage, cost: { usd: 0.25, status: 'actual' as const } };
    expect(usageOf(resultWith({ auxiliary }))).toMatchObject({
      auxiliary_calls: 2,
      auxiliary_tokens: 10,
      auxiliary_cost_usd: 0.25,
    });
    expect(usageOf(resultWith({}))).toMatchObject({
      auxiliary_calls: 0,
      auxiliary_tokens: 0,
      auxiliary_cost_usd: 0,
    });
  });

  it('redacts secrets in the error', () => {
    const message = 'refused: Authorization: Bearer hunter2hunter2';
    const turn = usageOf(resultWith({ exitReason: 'failed', error: { message } }));
    for (const record of [turn, usageOfFailure(message, 1)]) {
      expect(record['error']).toBe('refused: Authorization: Bearer ***');
    }
  });
});
