import * as z from 'zod/mini';
import { outsideSandbox, unlessIsolated } from '../approvals/index.ts';
import { HermesError } from '../base/index.ts';
import {
  type CommandOptions,
  type CommandResult,
  type Environment,
  type OrphanedProcess,
  ProcessTableFull,
  type SessionProcesses,
  type ToolContext,
  type ForegroundCommand,
} from '../contracts/index.ts';
import { createOutputCollector } from '../environments/index.ts';
import { defineTool, ToolDenied, ToolFailedOutput, ToolFailure, ToolInterrupted } from '../tools/index.ts';
import { joinTruncated, shorten } from '../util/index.ts';
import { describeEnd, hasFailed, explainMaskedExitCode } from './command-ending.ts';
import { adviseBackground } from './foreground-guard.ts';
import { recordWhileRunning } from './record-command.ts';
import { createLogExcerpt } from './logs/log-excerpt.ts';
import { runsTestsOrBuild } from './logs/runner-commands.ts';
import { explainSandbox } from './sandbox-hints.ts';
import { rejectNul } from './text-file.ts';

const DEFAULT_TIMEOUT_SECONDS = 180;
const MAX_TIMEOUT_SECONDS = 600;
/** Half of the result limit: the output of a command is rarely worth more. */
const MAX_OUTPUT = 50_000;
/** Reserved for the notices after the output, without the path of the spill file. */
const NOTICE_ROOM = 400;
const MAX_PATTERNS = 10;
const MAX_PATTERN_LENGTH = 200;

const parameters = z.object({
  command: z.string().check(z.minLength(1)),
  background: z.optional(
    z
      .boolean()
      .check(z.describe('Run in the background and return a process id (proc_…) immediately. timeout does not apply.')),
  ),
  timeout: z._default(
    z
      .number()
      .check(
        z.describe(
          'Timeout in seconds (at most 600). On timeout the command is killed and the output so far is returned. Set a longer timeout for builds and tests.',
        ),
      ),
    DEFAULT_TIMEOUT_SECONDS,
  ),
  workdir: z.optional(
    z.string().check(z.describe('Working directory for this command only. Default: the current directory.')),
  ),
  pty: z.optional(
    z.boolean().check(z.describe('Run in a pseudo-terminal (80x24), for programs that need a terminal.')),
  ),
  outside_sandbox: z.optional(z.boolean().check(z.describe('{{sandbox: Leave the sandbox; asks the user.}}'))),
  notify_on_complete: z.optional(
    z
      .boolean()
      .check(z.describe('With background: true: notify you when the process exits, so that you need not poll.')),
  ),
  watch_patterns: z.optional(
    z
      .array(z.string().check(z.maxLength(MAX_PATTERN_LENGTH)))
      .check(
        z.maxLength(MAX_PATTERNS),
        z.describe(
          'With background: true, you are notified of output lines that contain one of these strings or match a /regex/.',
        ),
      ),
  ),
});
type Args = z.output<typeof parameters> & { timeoutNote?: string };

export const terminalTool = defineTool({
  name: 'terminal',
  toolset: 'terminal',
  emoji: '💻',
  asksBefore: 'dangerous commands',
  description:
    'Run a shell command and return stdout and stderr together, plus the exit code if it is not 0. The working directory (also the base of relative paths in the file tools), variables and functions persist between calls. Foreground commands have no stdin and cannot prompt: pass flags such as -y or --no-pager. Long output of tests and builds is shortened to its beginning, failures and end, and other output over 50,000 characters in the middle; the full text is saved to a file named in the result. Run servers, watchers, programs that need input and anything longer than 10 minutes with background: true, never with & or nohup. {{process: Read their output and send input with the process tool.}}',
  parameters,
  // The command line does not say which files it touches, so nothing runs in parallel with it.
  concurrency: { mode: 'barrier' },
  async run(given, context) {
    const args = withSeconds(given);
    await validateArguments(args);
    const folder = await resolveFolder(args.workdir, context);
    await requireApproval(args, folder, context);
    const running = args.background ? runInBackground(args, folder, context) : runInForeground(args, folder, context);
    return running.catch((thrown: unknown) => {
      throw explainMissingDirectory(thrown, folder, context);
    });
  },
});

/** A timeout above this value is read as milliseconds, because no timeout is that many seconds. */
const MIN_MILLISECONDS = 1000;

function withSeconds(args: Args): Args {
  if (args.timeout <= MIN_MILLISECONDS) return args;
  const timeout = args.timeout / 1000;
  const timeoutNote = `timeout ${args.timeout} was interpreted as milliseconds (${timeout} s) because it is over 1,000. Specify timeout in seconds.`;
  return { ...args, timeout, timeoutNote };
}

/** Rejects calls that cannot succeed, before the user is asked for approval. */
async function validateArguments({ command, background, timeout, watch_patterns: patterns = [] }: Args): Promise<void> {
  if (patterns.length > 0) {
    const { validateWatchPatterns } = await import('../processes/index.ts');
    const fault = validateWatchPatterns(patterns);
    if (fault !== undefined) throw new ToolFailure(`${fault} Nothing was run.`);
  }
  if (background) return;
  if (timeout > MAX_TIMEOUT_SECONDS) {
    throw new ToolFailure(
      `timeout ${timeout} exceeds the maximum of ${MAX_TIMEOUT_SECONDS} s. Nothing was run. For longer commands, call terminal with background: true, then process with action wait.`,
    );
  }
  const advice = await adviseBackground(command);
  if (advice !== undefined) throw new ToolFailure(advice);
}

async function runInBackground(args: Args, folder: string, { processes }: ToolContext): Promise<string> {
  if (processes === undefined) throw new ToolFailure('Background processes are not available here. Nothing was run.');
  const { command, notify_on_complete: notifyOnComplete = false, watch_patterns: watchPatterns = [] } = args;
  const pty = args.pty ? TERMINAL_SIZE : undefined;
  try {
    const outside = args.outside_sandbox ?? false;
    const request = {
      command,
      workingDirectory: folder,
      pty,
      outsideSandbox: outside,
      notifyOnComplete,
      watchPatterns,
    };
    const { id, pid } = await processes.start(request);
    const announcement = notifyOnComplete ? ' You will be notified when it exits.' : '';
    return `Started ${id} (pid ${pid}) in the background.${announcement}`;
  } catch (thrown) {
    if (thrown instanceof ProcessTableFull) {
      throw new ToolFailure(`${thrown.message}. Nothing was run. Kill some of them with process (action: kill).`);
    }
    throw asToolFailure(thrown);
  }
}

async function runInForeground(args: Args, folder: string, context: ToolContext): Promise<string> {
  const { command, workdir } = args;
  const isOutside = args.outside_sandbox === true && context.environment.sandbox !== undefined;
  const environment = (isOutside && context.environment.sandbox?.outside) || context.environment;
  const seconds = Math.max(args.timeout, 1);
  const spillFile = context.spillFile();
  const maxOutput = outputLimit(context.maxResultCharacters, spillFile);
  const before = environment.currentDirectory();
  const waitedCommand = { command, workingDirectory: folder };
  const waited = recordWhileRunning(waitedCommand, context.processes);
  const options = {
    timeoutMs: seconds * 1000,
    signal: context.signal,
    // The environment keeps only the beginning and the end while it streams, so memory stays bounded.
    maxOutput,
    spillFile,
    excerpt: runsTestsOrBuild(command) ? createLogExcerpt(maxOutput) : undefined,
    onOutput: context.progress,
    onBegun: waited.begun,
    // Without `workdir` the command runs in the shell's current directory, which is that of the shell in the sandbox.
    workingDirectory: workdir === undefined && !isOutside ? undefined : folder,
  };
  const running = args.pty ? runInPty(environment, command, options) : environment.run(command, options);
  const result = await running
    .catch((thrown: unknown) => Promise.reject(args.pty ? asToolFailure(thrown) : thrown))
    .finally(waited.ended);
  const after = environment.currentDirectory();
  const notes = [
    describeSpill(result, spillFile ?? ''),
    args.timeoutNote,
    describeEnd(result, command, { seconds, mostSeconds: MAX_TIMEOUT_SECONDS }) ??
      explainMaskedExitCode(result, command, result.output),
    isOutside ? undefined : explainSandbox(result, command, environment),
    after === before ? undefined : `the working directory is now ${after}, also for the file tools`,
    result.orphaned === undefined
      ? undefined
      : await adoptLeftProcesses(waitedCommand, result.orphaned, context.processes),
  ];
  const text = describeResult(result.output, notes);
  if (result.ended === 'interrupted') throw new ToolInterrupted(text);
  if (hasFailed(result, command)) throw new ToolFailedOutput(text);
  return text;
}

/** Turns a missing pseudo-terminal into a tool result with the reason and the hint. */
function asToolFailure(thrown: unknown): unknown {
  if (!(thrown instanceof HermesError)) return thrown;
  return new ToolFailure([`${thrown.message} Nothing was run.`, thrown.hint].filter(Boolean).join(' '));
}

/**
 * How much output fits next to the notices. With this limit, the environment truncates the output and the result
 * limit need not truncate it again.
 */
function outputLimit(maxResultCharacters: number, spillFile = ''): number {
  const room = maxResultCharacters - NOTICE_ROOM - spillFile.length;
  return Math.min(MAX_OUTPUT, Math.max(room, Math.floor(maxResultCharacters / 2)));
}

/** Relative paths in the command depend on the working directory, so the guard gets the resolved one. */
async function requireApproval(args: Args, folder: string, context: ToolContext): Promise<void> {
  const { approvals, environment } = context;
  const { command, outside_sandbox: outside } = args;
  const judged = await approvals.judgeCommand(command, folder, environment);
  const leaves = outside === true && environment.sandbox !== undefined;
  const judgement = leaves ? outsideSandbox(judged, command) : unlessIsolated(judged, environment);
  const decision = await approvals.decide({ toolName: 'terminal', subject: command, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

/** Checked here, because a shell that cannot start reports only "not found". */
async function resolveFolder(workdir: string | undefined, { environment }: ToolContext): Promise<string> {
  rejectNul(workdir ?? '');
  const path = workdir ?? '.';
  // On another machine, each request takes a round trip.
  const known = environment.knownDirectory?.(path);
  if (known !== undefined) return known;
  const [folder, found] = await Promise.all([environment.resolvePath(path), environment.stat(path)]);
  if (found?.kind === 'directory') return folder;
  const fault = found === undefined ? 'does not exist' : 'is not a directory';
  if (workdir !== undefined) throw new ToolFailure(`workdir ${folder} ${fault}. Nothing was run.`);
  throw directoryIsGone(folder);
}

function directoryIsGone(folder: string): ToolFailure {
  return new ToolFailure(
    `The working directory ${folder} no longer exists. Nothing was run. Set workdir to an existing directory, or create ${folder} again from there.`,
  );
}

/** A directory that was known without a lookup may have been deleted since. Commands then start in the initial one. */
function explainMissingDirectory(thrown: unknown, folder: string, { environment }: ToolContext): unknown {
  const isMissing = (thrown as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  if (!isMissing || environment.knownDirectory === undefined) return thrown;
  if (environment.knownDirectory('.') === folder) return directoryIsGone(folder);
  const now = `The working directory is now ${environment.currentDirectory()}.`;
  return new ToolFailure(`The working directory ${folder} no longer exists. Nothing was run. ${now}`);
}

/** The output, followed by one bracketed line per note. */
function describeResult(output: string, notes: readonly (string | undefined)[]): string {
  const lines = notes.flatMap((note) => (note === undefined ? [] : [`[${note}]`]));
  const text = [output.replace(/\n+$/, ''), ...lines].filter((part) => part !== '').join('\n');
  return text === '' ? '(no output)' : text;
}

type Spilled = Pick<CommandResult, 'output' | 'omitted' | 'excerptOf' | 'spilled'>;

function describeSpill({ output, omitted, excerptOf, spilled }: Spilled, spillFile: string): string | undefined {
  if (omitted === 0) return undefined;
  const whole = excerptOf ?? output.length - joinTruncated({ head: '', tail: '', omitted }).length + omitted;
  const shown = whole - omitted;
  const extent = `${grouped(shown)} of ${grouped(whole)} characters shown`;
  if (spilled === undefined) return `truncated: ${extent}; the full output was not saved`;
  const kept = spilled === 'whole' ? 'full output' : 'first 64 MB of the output';
  const how = excerptOf === undefined ? 'truncated' : 'truncated to the beginning, the failures and the end';
  return `${how}: ${extent}; ${kept} saved to ${spillFile}; read it with read_file`;
}

const grouped = (count: number) => count.toLocaleString('en-US');

const TERMINAL_SIZE = { columns: 80, rows: 24 };

type PtyResult = Omit<CommandResult, 'workingDirectory'>;

/** Runs a command in a pseudo-terminal until it exits, times out or is aborted. It gets no input. */
async function runInPty(
  environment: Environment,
  command: string,
  options: Omit<CommandOptions, 'stdin'>,
): Promise<PtyResult> {
  const { workingDirectory, signal, timeoutMs } = options;
  const collector = createOutputCollector(options);
  const take = collector.source();
  const process = await environment.start(command, { pty: TERMINAL_SIZE, workingDirectory, killOnExit: true });
  options.onBegun?.(process.record);
  const endings = createLineEndings();
  process.onOutput((text) => take(Buffer.from(endings(text))));
  const timeout = AbortSignal.timeout(timeoutMs);
  const stopped = untilAborted(AbortSignal.any([signal, timeout]));
  const ending = await Promise.race([process.ended, stopped.promise]);
  stopped.forget();
  if (ending !== undefined) {
    const ended = ending.signalName === undefined ? 'exit' : 'signal';
    const name = ending.signalName === undefined ? {} : { signalName: ending.signalName };
    return { ...collector.finish(), exitCode: ending.exitCode, ended, ...name };
  }
  const gone = await process.kill();
  if (gone) await process.ended;
  const ended = signal.aborted ? 'interrupted' : 'timeout';
  return { ...collector.finish(), exitCode: undefined, ended, leftRunning: !gone };
}

function untilAborted(signal: AbortSignal): { promise: Promise<undefined>; forget(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return { promise, forget: () => signal.removeEventListener('abort', stop) };
}

/** Converts CRLF to LF. A chunk may end between the two characters. */
function createLineEndings(): (text: string) => string {
  let pending = '';
  return (text) => {
    const whole = pending + text;
    pending = whole.endsWith('\r') ? '\r' : '';
    return whole.slice(0, whole.length - pending.length).replaceAll('\r\n', '\n');
  };
}

const SHOWN_MEMBERS = 5;
const SHOWN_COMMAND = 60;

/** Adopts processes that a command left running as a background process and describes them to the model. */
async function adoptLeftProcesses(
  command: ForegroundCommand,
  left: OrphanedProcess,
  processes: SessionProcesses | undefined,
): Promise<string> {
  const shown = left.members.slice(0, SHOWN_MEMBERS).map(describeMember);
  const more = left.members.length > shown.length ? ` and ${left.members.length - shown.length} more` : '';
  const [what, it, them] = left.members.length === 1 ? ['a process', 'It is', 'it'] : ['processes', 'They are', 'them'];
  const running = `the command left ${what} running: ${shown.join(', ')}${more}`;
  try {
    if (processes !== undefined) {
      const { id } = await processes.adopt(command, left);
      return `${running}. ${it} now background process ${id}; manage ${them} with the process tool`;
    }
  } catch {
    // The process table is full. The processes keep running and are killed when Hermes exits.
  }
  left.killOnExit();
  return running;
}

const describeMember = ({ pid, command }: OrphanedProcess['members'][number]) =>
  `pid ${pid} (${shorten(command, SHOWN_COMMAND)})`;
