import { expect, it } from 'vitest';
import { resultWith } from '../../../../test/support/run-result.ts';
import { describeEnding } from './describe-ending.ts';

const ending = (message?: string) =>
  describeEnding(
    resultWith({ exitReason: 'truncated', error: message === undefined ? undefined : { message } }),
    'log',
  );

it('gives the reason that holds for an answer that is not whole', () => {
  expect(ending('The model called tools that do not exist.')?.message).toBe(
    'The model called tools that do not exist.',
  );
  expect(ending()?.message).toBe('The answer was cut off by the output limit.');
});
