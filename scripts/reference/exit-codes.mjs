import { EXIT_REASONS, exitFacts, USAGE_EXIT_CODE } from '../../src/base/index.ts';
import { BROKEN_PIPE_EXIT_CODE } from '../../src/surfaces/cli/output-errors.ts';
import { code, page, table } from './markdown.mjs';

const MEANINGS = {
  interrupted: 'interrupted by a key or a signal',
  failed: 'failed: the model could not be reached, or an error occurred',
  limit_reached: 'a limit on cost, tokens or time was reached',
  repetition_stopped: 'the same call was repeated too often',
  max_iterations: 'all steps of the turn were used',
  budget_exhausted: 'the budget of the run was used up',
  truncated: 'the answer was truncated',
  empty: 'the answer was empty',
  completed: 'the task was completed',
};

export function exitCodesPage() {
  const missing = EXIT_REASONS.filter((reason) => MEANINGS[reason] === undefined);
  if (missing.length > 0) throw new Error(`The exit reasons ${missing.join(', ')} have no description.`);
  const turns = EXIT_REASONS.toReversed().map((reason) => {
    const { exitCode, flag } = exitFacts(reason);
    return [exitCode, code(reason), flag, MEANINGS[reason]];
  });
  const others = [
    [0, 'success'],
    [1, 'a problem was found or the command failed; the reason is on stderr'],
    [USAGE_EXIT_CODE, 'invalid command line or configuration; nothing was done'],
    [exitFacts('interrupted').exitCode, 'interrupted'],
    [BROKEN_PIPE_EXIT_CODE, 'the reader closed the pipe, as with `| head -1`'],
  ];
  return page(
    'Exit codes',
    'The exit code of a prompt depends on the exit reason of its turn; if several apply, the last one in this table is used. `--json` and `--usage-file` contain the reason, see [headless](../headless.md).',
    table(['exit code', 'reason', 'flag', 'meaning'], turns),
    'All other commands:',
    table(['exit code', 'meaning'], others),
    '`hermes approvals check` has its own exit codes: 0 allow, 3 ask, 4 block.',
  );
}
