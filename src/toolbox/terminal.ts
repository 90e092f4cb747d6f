import * as z from 'zod/mini';
import type { CommandResult, ToolContext } from '../contracts/index.ts';
import { defineTool, ToolDenied, ToolFailedOutput, ToolFailure, ToolInterrupted } from '../tools/index.ts';
import { refuseNul } from './text-file.ts';

const DEFAULT_TIMEOUT_SECONDS = 180;
const MAX_TIMEOUT_SECONDS = 600;
/** Half of what a result may have: a command's output is rarely worth more. */
const MAX_OUTPUT = 50_000;
/** Room in a result for what we say about it, apart from the name of the spill file. */
const NOTICE_ROOM = 400;

export const terminalTool = defineTool({
  name: 'terminal',
  toolset: 'terminal',
  emoji: '💻',
  description:
    'Run a shell command and get its output (stdout and stderr together). Each call goes on where the last one ended (directory, variables, functions), without input: answer no prompts. {{read_file: Not for reading, writing or searching files: use the file tools.}}',
  parameters: z.object({
    command: z.string().check(z.minLength(1)),
    timeout: z._default(
      z.number().check(z.describe(`seconds, at most ${MAX_TIMEOUT_SECONDS}`)),
      DEFAULT_TIMEOUT_SECONDS,
    ),
    workdir: z.optional(z.string()),
  }),
  // What a command touches cannot be told from its words, so nothing runs beside it.
  concurrency: { mode: 'barrier' },
  async run({ command, timeout, workdir }, context) {
    const workingDirectory = await resolveFolder(workdir, context);
    await requireApproval(command, workingDirectory, context);
    const seconds = Math.min(Math.max(timeout, 1), MAX_TIMEOUT_SECONDS);
    const spillFile = context.spillFile();
    const result = await context.environment.run(command, {
      timeoutMs: seconds * 1000,
      signal: context.signal,
      // Without a folder of its own the shell goes on where the last one ended.
      workingDirectory: workdir === undefined ? undefined : workingDirectory,
      // The environment keeps beginning and end as it streams, so memory stays bounded too.
      maxOutput: outputLimit(context.maxResultCharacters, spillFile),
      spillFile,
      onOutput: context.progress,
    });
    const text = describeResult(result, describeEnd(result, command, seconds), spillFile);
    if (result.ended === 'interrupted') throw new ToolInterrupted(text);
    if (hasFailed(result, command)) throw new ToolFailedOutput(text);
    return text;
  },
});

/** What is left of a result beside our own words: cut by the one who has the whole of it, it is cut only once. */
function outputLimit(maxResultCharacters: number, spillFile = ''): number {
  const room = maxResultCharacters - NOTICE_ROOM - spillFile.length;
  return Math.min(MAX_OUTPUT, Math.max(room, Math.floor(maxResultCharacters / 2)));
}

/** What a relative path in the command means depends on the folder, so the guard gets the real one. */
async function requireApproval(command: string, folder: string, context: ToolContext): Promise<void> {
  const { approvals } = context;
  const judgement = await approvals.judgeCommand(command, folder);
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
function describeResult(result: CommandResult, end: string | undefined, spillFile = ''): string {
  const output = result.output.replace(/\n+$/, '');
  const notes = [describeSpill(result, spillFile), end].filter((note) => note !== undefined);
  const text = [output, ...notes.map((note) => `[${note}]`)].filter((part) => part !== '').join('\n');
  return text === '' ? '(no output)' : text;
}

function describeSpill({ omitted, spilled }: CommandResult, spillFile: string): string | undefined {
  const kept = spilled === 'whole' ? 'the whole output is' : 'only the beginning of the output, 64 MB, is';
  if (spilled !== undefined) return `${kept} in ${spillFile}; read parts of it with read_file`;
  return omitted > 0 ? 'the whole output was not kept' : undefined;
}

function describeEnd(result: CommandResult, command: string, seconds: number): string | undefined {
  switch (result.ended) {
    case 'timeout':
      return `stopped after ${seconds} s: its time was over; ${describeStop(result)}`;
    case 'interrupted':
      return `interrupted by the user; ${describeStop(result)}`;
    case 'signal':
      return `ended by ${result.signalName ?? 'a signal'}${result.signalName === 'SIGKILL' ? ', perhaps out of memory' : ''}`;
    default:
      return result.exitCode ? describeExitCode(result.exitCode, command) : undefined;
  }
}

/** What it started is looked for, also where that has left its group. */
function describeStop({ leftRunning }: CommandResult): string {
  if (leftRunning === undefined) return 'it was not started';
  return leftRunning ? 'some of what it started may still run' : 'it was ended with all it had started';
}

/** Programs for which exit code 1 is an answer. */
const NO_FAULT: ReadonlyMap<string, string> = new Map([
  ['grep', 'no match'],
  ['rg', 'no match'],
  ['diff', 'the files differ'],
  ['cmp', 'the files differ'],
  ['test', 'false'],
  ['[', 'false'],
  ['pgrep', 'no such process'],
]);

/** Whether it ended otherwise than well; an answer such as "no match" is no failure. */
function hasFailed({ ended, exitCode }: CommandResult, command: string): boolean {
  if (ended !== 'exit' || exitCode === undefined) return true;
  return exitCode !== 0 && answerOf(exitCode, command) === undefined;
}

/** What exit code 1 means with a program that answers with it. */
function answerOf(code: number, command: string): string | undefined {
  const last = command.split(/[|;&\n]+/).findLast((part) => part.trim() !== '') ?? '';
  return code === 1 ? NO_FAULT.get(last.trim().split(/\s/, 1)[0] ?? '') : undefined;
}

/** Some codes say less, or more, than that something went wrong. */
function describeExitCode(code: number, command: string): string {
  const meaning = answerOf(code, command) ?? EXIT_CODES[code];
  const signal = code > 128 && code < 160 ? `ended by signal ${code - 128}` : undefined;
  const explained = meaning ?? signal;
  return explained === undefined ? `exit code ${code}` : `exit code ${code}: ${explained}`;
}

/** Codes that shells give a meaning to. */
const EXIT_CODES: Readonly<Record<number, string>> = {
  124: 'time-out',
  126: 'cannot be executed',
  127: 'command not found',
  130: 'ended by SIGINT',
  137: 'ended by SIGKILL, perhaps out of memory',
  139: 'segmentation fault',
  143: 'ended by SIGTERM',
};
