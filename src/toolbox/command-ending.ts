import type { CommandResult } from '../contracts/index.ts';

type Ending = Pick<CommandResult, 'ended' | 'exitCode' | 'signalName' | 'leftRunning'>;

/** The timeout of a command, and the maximum timeout that a call may set. */
type Timeout = { seconds: number; mostSeconds: number };

/** Lists the possible causes, because it is not known who sent the signal. */
const KILLED =
  'killed by SIGKILL; possible causes: the command itself, another process, or the system running out of memory';

/** Describes how a command ended for the model, or undefined after exit code 0. */
export function describeEnd(result: Ending, command: string, timeout: Timeout): string | undefined {
  switch (result.ended) {
    case 'timeout':
      return `timed out after ${timeout.seconds} s; ${describeStop(result)}. ${adviseAfterTimeout(timeout)}.`;
    case 'interrupted':
      return `interrupted by the user; ${describeStop(result)}`;
    case 'signal':
      if (result.signalName !== 'SIGKILL') return `killed by ${result.signalName ?? 'a signal'}`;
      // The shell itself was killed, so it could not save its state.
      return `${KILLED}. Variables set by this command are lost.`;
    default:
      return result.exitCode ? describeExitCode(result.exitCode, command) : undefined;
  }
}

function adviseAfterTimeout({ seconds, mostSeconds }: Timeout): string {
  const longer = seconds < mostSeconds ? `a longer timeout (at most ${mostSeconds}) or ` : '';
  return `Use ${longer}background: true`;
}

/** Says whether the whole process tree is gone, including processes that left the group. */
function describeStop({ leftRunning }: Ending): string {
  if (leftRunning === undefined) return 'the command was not started';
  return leftRunning
    ? 'some processes that the command started may still be running'
    : 'the command and its child processes were killed';
}

/** Programs whose exit code 1 is not an error, and what it means. */
const EXIT_CODE_1_MEANINGS: ReadonlyMap<string, string> = new Map([
  ['grep', 'no match'],
  ['egrep', 'no match'],
  ['fgrep', 'no match'],
  ['zgrep', 'no match'],
  ['rg', 'no match'],
  ['git grep', 'no match'],
  ['diff', 'the files differ'],
  ['git diff', 'differences found'],
  ['cmp', 'the files differ'],
  ['test', 'false'],
  ['[', 'false'],
  ['pgrep', 'no process matched'],
]);

/** Whether the command failed. Exit codes such as "no match" do not count as a failure. */
export function hasFailed({ ended, exitCode }: Ending, command: string): boolean {
  if (ended !== 'exit' || exitCode === undefined) return true;
  return exitCode !== 0 && meaningOfExitCode1(exitCode, command) === undefined;
}

/** The program that determines the exit code of a command line, alone and with its subcommand. */
function lastProgram(command: string): [string, string] {
  const last = command.split(/[|;&\n]+/).findLast((part) => part.trim() !== '') ?? '';
  const [name = '', next = ''] = last.trim().split(/\s+/, 2);
  return [name, `${name} ${next}`];
}

/** The meaning of exit code 1 for programs in `EXIT_CODE_1_MEANINGS`. */
function meaningOfExitCode1(code: number, command: string): string | undefined {
  const [name, withNext] = lastProgram(command);
  return code === 1 ? (EXIT_CODE_1_MEANINGS.get(withNext) ?? EXIT_CODE_1_MEANINGS.get(name)) : undefined;
}

/** An exit code, with its meaning where it has a known one. */
function describeExitCode(code: number, command: string): string {
  const [name] = lastProgram(command);
  const meaning =
    meaningOfExitCode1(code, command) ?? (name === 'curl' ? CURL_CODES[code] : undefined) ?? EXIT_CODES[code];
  const signal = code > 128 && code < 160 ? `killed by signal ${code - 128}` : undefined;
  const explained = meaning ?? signal;
  return explained === undefined ? `exit code ${code}` : `exit code ${code}: ${explained}`;
}

/** Exit codes with a conventional meaning in shells. */
const EXIT_CODES: Readonly<Record<number, string>> = {
  124: 'timed out',
  126: 'not executable',
  127: 'command not found',
  130: 'killed by SIGINT',
  134: 'aborted',
  137: KILLED,
  139: 'segmentation fault',
  141: 'broken pipe (SIGPIPE)',
  143: 'killed by SIGTERM',
};

const CURL_CODES: Readonly<Record<number, string>> = {
  6: 'could not resolve the host',
  7: 'could not connect',
  22: 'the server returned an HTTP error',
  28: 'timed out',
};

/** Filters that exit with 0 regardless of their input. */
const FILTERS = ['tail', 'head', 'tee', 'cat', 'less', 'sort', 'uniq', 'sed', 'awk', 'cut', 'tr', 'wc', 'column'];
const LAST_FILTER = new RegExp(`(?:^|[^|])\\|&?\\s*(${FILTERS.join('|')})\\b[^|;&\\n]*$`);
const ERROR_WORDS = /\b(?:error|failed|failure|fatal|traceback|exception|panic|not ok)\b/i;

/** A pipeline has the exit code of its last command. Mentioned only if the output looks like an error. */
export function explainMaskedExitCode(
  { ended, exitCode }: Ending,
  command: string,
  output: string,
): string | undefined {
  if (ended !== 'exit' || exitCode !== 0 || command.includes('pipefail') || !ERROR_WORDS.test(output)) return undefined;
  // Quoted text is data, and a redirection may follow the filter.
  const bare = command.replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, '_').replace(/\s\d*>(?:&\d|\s*\S+)/g, '');
  const [, filter] = LAST_FILTER.exec(bare.trim()) ?? [];
  return filter === undefined
    ? undefined
    : `exit code 0 is the exit code of ${filter}; the command before the pipe may have failed`;
}
