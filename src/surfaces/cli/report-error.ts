import { errorMessage, HermesError } from '../../base/index.ts';
import { asFileError, redactSecrets } from '../../util/index.ts';
import type { CliIo } from './cli-io.ts';
import { showable } from './style.ts';

const CHECK_FILE = 'Check the path, who owns it, and the room on the disk; `hermes doctor` looks at the home folder.';

export type Report = { message: string; hint?: string | undefined };

/** Two lines for the person: what happened, and what to do next. Stack traces belong into the log. */
export function describeError(thrown: unknown, logFile?: string): Report {
  const message = redactSecrets(errorMessage(thrown));
  if (thrown instanceof HermesError) return { message, hint: thrown.hint };
  // What the system refuses is nothing to report to us, wherever it happened.
  const file = asFileError(thrown);
  if (file !== undefined)
    return { message: redactSecrets(`${file.path} cannot be used: ${file.reason}.`), hint: CHECK_FILE };
  const place = logFile === undefined ? '' : ` The details are in ${logFile}.`;
  return { message: `Something went wrong inside hermes: ${message}`, hint: `Please report this.${place}` };
}

export function writeReport(io: CliIo, report: Report): void {
  io.stderr.write(`hermes: ${showable(report.message)}\n`);
  if (report.hint) io.stderr.write(`        ${showable(report.hint)}\n`);
}
