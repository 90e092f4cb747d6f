import { expect, it } from 'vitest';
import { resultWith } from '../../../../test/support/run-result.ts';
import { describeExit } from './describe-exit.ts';

const ending = (message?: string) =>
  describeExit(resultWith({ exitReason: 'truncated', error: message === undefined ? undefined : { message } }), 'log');

it('gives the actual reason for a truncated answer', () => {
  expect(ending('The model called tools that do not exist.')?.message).toBe(
    'The model called tools that do not exist.',
  );
  expect(ending()?.message).toBe('The answer was truncated at the output limit.');
});

it.each(['empty', 'repetition_stopped', 'max_iterations'] as const)(
  'does not say twice why it ended: %s',
  (exitReason) => {
    const error = { message: 'The model returned an empty answer 3 times.' };
    expect(describeExit(resultWith({ exitReason, error }), 'log')?.message).toBe(error.message);
  },
);
