import * as z from 'zod/mini';
import { unlessIsolated } from '../approvals/index.ts';
import { HermesError } from '../base/index.ts';
import {
  type CommandOptions,
  type CommandResult,
  type Environment,
  type LeftProcess,
  type ProcessRecord,
  ProcessTableFull,
  type SessionProcesses,
  type ToolContext,
  type WaitedCommand,
} from '../contracts/index.ts';
import { createOutputCollector } from '../environments/index.ts';
import { defineTool, ToolDenied, ToolFailedOutput, ToolFailure, ToolInterrupted } from '../tools/index.ts';
import { shorten } from '../util/index.ts';
import { describeEnd, hasFailed, hintMasked } from './command-end.ts';
import { adviseBackground } from './foreground-guard.ts';
import { refuseNul } from './text-file.ts';

const DEFAULT_TIMEOUT_SECONDS = 180;
const MAX_TIMEOUT_SECONDS = 600;
/** Half of what a result may have: a command's output is rarely worth more. */
const MAX_OUTPUT = 50_000;
/** Room in a result for what we say about it, apart from the name of the spill file. */
const NOTICE_ROOM = 400;
const MOST_PATTERNS = 10;
const LONGEST_PATTERN = 200;

const parameters = z.object({
  command: z.string().check(z.minLength(1)),
  background: z.optional(z.boolean().check(z.describe('at once an id for process; for servers, watchers'))),
  timeout: z._default(z.number().check(z.describe('seconds')), DEFAULT_TIMEOUT_SECONDS),
  workdir: z.optional(z.string()),
  pty: z.optional(z.boolean().check(z.describe('for programs that need a terminal'))),
  notify_on_complete: z.optional(z.boolean().check(z.describe('background: tell me when it has ended'))),
  watch_patterns: z.optional(
    z
      .array(z.string().check(z.maxLength(LONGEST_PATTERN)))
      .check(z.maxLength(MOST_PATTERNS), z.describe('background: tell me of lines with such a text or /regex/')),
  ),
});
type Args = z.output<typeof parameters>;

export const terminalTool = defineTool({
  name: 'terminal',
  toolset: 'terminal',
  emoji: '💻',
  asksBefore: 'commands that could do harm',
  description:
    'Run a shell command; stdout and stderr come together. Directory, variables and functions last from call to call. There is no input, so nothing may ask. What runs on goes to the background, never with & or nohup. {{read_file: For files use the file tools.}}',
  parameters,
  // What a command touches cannot be told from its words, so nothing runs beside it.
  concurrency: { mode: 'barrier' },
  async run(args, context) {
    await validateArguments(args);
    const folder = await resolveFolder(args.workdir, context);
    await requireApproval(args.command, folder, context);
    return args.background ? runInBackground(args, folder, context) : runInForeground(args, folder, context);
  },
});

/** Refuses what could only go wrong, before anybody is asked to approve it. */
async function validateArguments({ command, background, timeout, watch_patterns: patterns = [] }: Args): Promise<void> {
  if (patterns.length > 0) {
    const { findPatternFault } = await import('../processes/index.ts');
    const fault = findPatternFault(patterns);
    if (fault !== undefined) throw new ToolFailure(`${fault} Nothing was run.`);
  }
  if (background) return;
  if (timeout > MAX_TIMEOUT_SECONDS) {
    throw new ToolFailure(
      `In the foreground a command has ${MAX_TIMEOUT_SECONDS} s at most. Nothing was run. For more time call terminal with background: true, then process with action wait.`,
    );
  }
  const advice = await adviseBackground(command);
  if (advice !== undefined) throw new ToolFailure(advice);
}

async function runInBackground(args: Args, folder: string, { processes }: ToolContext): Promise<string> {
  if (processes === undefined) throw new ToolFailure('Nothing can run in the background here. Nothing was run.');
  const { command, notify_on_complete: notifyOnComplete = false, watch_patterns: watchPatterns = [] } = args;
  const pty = args.pty ? TERMINAL_SIZE : undefined;
  try {
    const request = { command, workingDirectory: folder, pty, notifyOnComplete, watchPatterns };
    const { id, pid } = await processes.start(request);
    const told = notifyOnComplete ? ' You are told when it has ended.' : '';
    return `Started ${id} (pid ${pid}) in the background.${told}`;
  } catch (thrown) {
    if (thrown instanceof ProcessTableFull) {
      throw new ToolFailure(`${thrown.message}. Nothing was run. End some with process, action kill.`);
    }
    throw withoutTerminal(thrown);
  }
}

async function runInForeground(args: Args, folder: string, context: ToolContext): Promise<string> {
  const { command, workdir } = args;
  const { environment } = context;
  const seconds = Math.max(args.timeout, 1);
  const spillFile = context.spillFile();
  const before = environment.currentDirectory();
  const waitedCommand = { command, workingDirectory: folder };
  const waited = noteWhileWaiting(waitedCommand, context.processes);
  const options = {
    timeoutMs: seconds * 1000,
    signal: context.signal,
    // The environment keeps beginning and end as it streams, so memory stays bounded too.
    maxOutput: outputLimit(context.maxResultCharacters, spillFile),
    spillFile,
    onOutput: context.progress,
    onBegun: waited.begun,
    // Without a folder of its own the shell goes on where the last one ended.
    workingDirectory: workdir === undefined ? undefined : folder,
  };
  const running = args.pty ? runInPty(environment, command, options) : environment.run(command, options);
  const result = await running
    .catch((thrown: unknown) => Promise.reject(args.pty ? withoutTerminal(thrown) : thrown))
    .finally(waited.ended);
  const after = environment.currentDirectory();
  const notes = [
    describeSpill(result, spillFile ?? ''),
    describeEnd(result, command, seconds) ?? hintMasked(result, command, result.output),
    after === before ? undefined : `the directory is now ${after}`,
    result.left === undefined ? undefined : await takeInLeft(waitedCommand, result.left, context.processes),
  ];
  const text = describeResult(result.output, notes);
  if (result.ended === 'interrupted') throw new ToolInterrupted(text);
  if (hasFailed(result, command)) throw new ToolFailedOutput(text);
  return text;
}

/** Why there is no terminal is the model's to read, and so is what to do without. */
function withoutTerminal(thrown: unknown): unknown {
  if (!(thrown instanceof HermesError)) return thrown;
  return new ToolFailure([`${thrown.message} Nothing was run.`, thrown.hint].filter(Boolean).join(' '));
}

/** What is left of a result beside our own words: cut by the one who has the whole of it, it is cut only once. */
function outputLimit(maxResultCharacters: number, spillFile = ''): number {
  const room = maxResultCharacters - NOTICE_ROOM - spillFile.length;
  return Math.min(MAX_OUTPUT, Math.max(room, Math.floor(maxResultCharacters / 2)));
}

/** What a relative path in the command means depends on the folder, so the guard gets the real one. */
async function requireApproval(command: string, folder: string, context: ToolContext): Promise<void> {
  const { approvals, environment } = context;
  const judgement = unlessIsolated(await approvals.judgeCommand(command, folder), environment);
  const decision = await approvals.decide({ toolName: 'terminal', subject: command, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

/** Checked here, because a shell that cannot start says only that it was not found. */
async function resolveFolder(workdir: string | undefined, { environment }: ToolContext): Promise<string> {
  refuseNul(workdir ?? '');
  const folder = await environment.resolvePath(workdir ?? '.');
  const found = await environment.stat(folder);
  if (found?.kind !== 'directory') throw new ToolFailure(`workdir ${folder} is not a folder. Nothing was run.`);
  return folder;
}

/** The output, and one line each about its rest and its end where there is something to say. */
function describeResult(output: string, notes: readonly (string | undefined)[]): string {
  const lines = notes.flatMap((note) => (note === undefined ? [] : [`[${note}]`]));
  const text = [output.replace(/\n+$/, ''), ...lines].filter((part) => part !== '').join('\n');
  return text === '' ? '(no output)' : text;
}

type Spilled = Pick<CommandResult, 'omitted' | 'spilled'>;

function describeSpill({ omitted, spilled }: Spilled, spillFile: string): string | undefined {
  const kept = spilled === 'whole' ? 'the whole output is' : 'only the beginning of the output, 64 MB, is';
  if (spilled !== undefined) return `${kept} in ${spillFile}; read parts of it with read_file`;
  return omitted > 0 ? 'the whole output was not kept' : undefined;
}

const TERMINAL_SIZE = { columns: 80, rows: 24 };

type PtyResult = Omit<CommandResult, 'workingDirectory'>;

/** Runs a command in a terminal until it ends, its time is over, or the signal is aborted. Nobody types. */
async function runInPty(
  environment: Environment,
  command: string,
  options: Omit<CommandOptions, 'stdin'>,
): Promise<PtyResult> {
  const { workingDirectory, signal, timeoutMs } = options;
  const collector = createOutputCollector(options);
  const take = collector.source();
  const process = await environment.start(command, { pty: TERMINAL_SIZE, workingDirectory, endWithProgram: true });
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

/** A terminal ends its lines with two characters, the second of which may come with the next piece. */
function createLineEndings(): (text: string) => string {
  let pending = '';
  return (text) => {
    const whole = pending + text;
    pending = whole.endsWith('\r') ? '\r' : '';
    return whole.slice(0, whole.length - pending.length).replaceAll('\r\n', '\n');
  };
}

/** A command that ends sooner is not written down: it would cost more than some commands do. */
const NOTE_AFTER_MS = 1000;
const SHOWN_MEMBERS = 5;
const SHOWN_COMMAND = 60;

/** Has a command that takes long written down while it runs, so that it is found if this program is killed. */
function noteWhileWaiting(command: WaitedCommand, processes: SessionProcesses | undefined) {
  let timer: NodeJS.Timeout | undefined;
  let noted: Promise<() => void> | undefined;
  return {
    begun(record: ProcessRecord): void {
      timer = setTimeout(() => {
        noted = processes?.noteWaited(command, record);
      }, NOTE_AFTER_MS);
    },
    ended(): void {
      clearTimeout(timer);
      // It could not be written down; that is in the log, and no fault of the command.
      noted?.then((forget) => forget()).catch(() => undefined);
    },
  };
}

/** Puts what a command left running where it can be looked after, in words for the model. */
async function takeInLeft(
  command: WaitedCommand,
  left: LeftProcess,
  processes: SessionProcesses | undefined,
): Promise<string> {
  const shown = left.members.slice(0, SHOWN_MEMBERS).map(describeMember);
  const more = left.members.length > shown.length ? ` and ${left.members.length - shown.length} more` : '';
  const running = `left running: ${shown.join(', ')}${more}`;
  try {
    if (processes !== undefined)
      return `${running}; in the background now as ${(await processes.adopt(command, left)).id}`;
  } catch {
    // The table is full: it goes on outside, and still ends with the program.
  }
  left.endWithProgram();
  return running;
}

const describeMember = ({ pid, command }: LeftProcess['members'][number]) =>
  `pid ${pid} (${shorten(command, SHOWN_COMMAND)})`;
