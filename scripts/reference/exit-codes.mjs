import { EXIT_REASONS, exitFacts, USAGE_EXIT_CODE } from '../../src/base/index.ts';
import { BROKEN_PIPE_EXIT_CODE } from '../../src/surfaces/cli/output-end.ts';
import { code, page, table } from './markdown.mjs';

const MEANINGS = {
  interrupted: 'it was interrupted, by a key or a signal',
  failed: 'it failed: the model could not be reached, or something broke',
  limit_reached: 'a limit of spending, tokens or time was reached',
  repetition_stopped: 'the same call came again and again',
  max_iterations: 'all steps of the turn were used',
  budget_exhausted: 'the budget of the run was used',
  truncated: 'the answer was cut off',
  empty: 'the answer stayed empty',
  completed: 'the task was completed',
};

export function exitCodesPage() {
  const missing = EXIT_REASONS.filter((reason) => MEANINGS[reason] === undefined);
  if (missing.length > 0) throw new Error(`Nothing is said here about how a turn ends with ${missing.join(', ')}.`);
  const turns = EXIT_REASONS.toReversed().map((reason) => {
    const { exitCode, flag } = exitFacts(reason);
    return [exitCode, code(reason), flag, MEANINGS[reason]];
  });
  const others = [
    [0, 'it was done'],
    [1, 'something was found or failed, and standard error says what'],
    [USAGE_EXIT_CODE, 'the command line or the configuration is wrong; nothing was done'],
    [exitFacts('interrupted').exitCode, 'it was interrupted'],
    [BROKEN_PIPE_EXIT_CODE, 'whoever read the output has left, as with `| head -1`'],
  ];
  return page(
    'Exit codes',
    'A prompt ends with the code of the reason for which its turn ended; where several hold, the last of them in this table counts. `--json` and `--usage-file` name the reason, see [headless](../headless.md).',
    table(['exit code', 'reason', 'flag', 'meaning'], turns),
    'Every other command:',
    table(['exit code', 'meaning'], others),
    '`hermes approvals check` has codes of its own: 0 runs, 3 asks, 4 is blocked.',
  );
}
