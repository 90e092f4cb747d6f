import { expect, it } from 'vitest';
import { resultWith } from '../../../../test/support/run-result.ts';
import { describeEnding } from './describe-ending.ts';

const ending = (message?: string) =>
  describeEnding(
    resultWith({ exitReason: 'truncated', error: message === undefined ? undefined : { message } }),
    'log',
  );

it('gives the actual reason for a truncated answer', () => {
  expect(ending('The model called tools that do not exist.')?.message).toBe(
    'The model called tools that do not exist.',
  );
  expect(ending()?.message).toBe('The answer was truncated at the output limit.');
});
