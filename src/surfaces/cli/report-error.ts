import { errorMessage, HermesError } from '../../base/index.ts';
import { asFileError, redactSecrets } from '../../util/index.ts';
import { wrapWithIndent } from '../text/table.ts';
import type { CliIo } from './cli-io.ts';
import { printable } from './style.ts';

const CHECK_FILE =
  'Check the path, its permissions and the free disk space; `hermes doctor` checks the home directory.';

export type Report = { message: string; hint?: string | undefined };

/** Describes an error to the user: what happened, and what to do next. Stack traces go to the log. */
export function describeError(thrown: unknown, logFile?: string): Report {
  const message = redactSecrets(errorMessage(thrown));
  if (thrown instanceof HermesError) return { message, hint: thrown.hint };
  // File system errors are no bugs of Hermes, so the user is not asked to report them.
  const file = asFileError(thrown);
  if (file !== undefined)
    return { message: redactSecrets(`Cannot access ${file.path}: ${file.reason}.`), hint: CHECK_FILE };
  const details = logFile === undefined ? '' : ` Details are in ${logFile}.`;
  return { message: `Internal error: ${message}`, hint: `Please report this bug.${details}` };
}

export function writeReport(io: CliIo, report: Report): void {
  writeNotice(io, report.message);
  if (report.hint) writeAfterPrefix(io, ' '.repeat(PREFIX.length), report.hint);
}

const PREFIX = 'hermes: ';

/** Prints `hermes: MESSAGE` to stderr. */
export function writeNotice(io: Pick<CliIo, 'stderr'>, message: string): void {
  writeAfterPrefix(io, PREFIX, message);
}

/** Prints `hermes: warning: MESSAGE` to stderr: the command succeeded, but something needs attention. */
export function writeWarning(io: Pick<CliIo, 'stderr'>, message: string): void {
  writeNotice(io, `warning: ${message}`);
}

/** Wraps at words in a terminal. Elsewhere the text stays on one line, which is easier to search. */
function writeAfterPrefix({ stderr }: Pick<CliIo, 'stderr'>, prefix: string, text: string): void {
  stderr.write(`${prefix}${wrapWithIndent(printable(text), prefix.length, stderr.columns)}\n`);
}
