import * as z from 'zod/mini';
import type { CommandResult } from '../contracts/index.ts';
import { defineTool, ToolDenied, ToolFailure, ToolInterrupted, type ToolRunContext } from '../tools/index.ts';
import { refuseNul } from './text-file.ts';

const DEFAULT_TIMEOUT_SECONDS = 180;
const MAX_TIMEOUT_SECONDS = 600;
/** Half of what a result may have: a command's output is rarely worth more. */
const MAX_OUTPUT = 50_000;

export const terminalTool = defineTool({
  name: 'terminal',
  toolset: 'terminal',
  emoji: '💻',
  description:
    'Run a shell command and get its output (stdout and stderr together). Each call is a new shell without input: set the directory with workdir, answer no prompts. Not for reading, writing or searching files: use the file tools.',
  parameters: z.object({
    command: z.string().check(z.minLength(1)),
    timeout: z._default(
      z.number().check(z.describe(`seconds, at most ${MAX_TIMEOUT_SECONDS}`)),
      DEFAULT_TIMEOUT_SECONDS,
    ),
    workdir: z.optional(z.string()),
  }),
  concurrency: { mode: 'barrier' },
  async run({ command, timeout, workdir }, context) {
    const workingDirectory = await resolveFolder(workdir, context);
    await requireApproval(command, workingDirectory, context);
    const seconds = Math.min(Math.max(timeout, 1), MAX_TIMEOUT_SECONDS);
    const result = await context.environment.run(command, {
      timeoutMs: seconds * 1000,
      signal: context.signal,
      workingDirectory,
      // The environment keeps beginning and end as it streams, so memory stays bounded too.
      maxOutput: Math.min(MAX_OUTPUT, context.maxResultCharacters),
      onOutput: context.progress,
    });
    const text = describeResult(result, command, seconds);
    if (result.ended === 'interrupted') throw new ToolInterrupted(text);
    return text;
  },
});

/** What a relative path in the command means depends on the folder, so the guard gets the real one. */
async function requireApproval(command: string, folder: string, context: ToolRunContext): Promise<void> {
  const { approvals } = context;
  const judgement = await approvals.judgeCommand(command, folder);
  const decision = await approvals.decide({ toolName: 'terminal', subject: command, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

/** Checked here, because a shell that cannot start says only that it was not found. */
async function resolveFolder(workdir: string | undefined, { environment }: ToolRunContext): Promise<string> {
  refuseNul(workdir ?? '');
  const folder = await environment.resolvePath(workdir ?? '.');
  const found = await environment.stat(folder);
  if (found?.kind !== 'directory') throw new ToolFailure(`workdir ${folder} is not a folder. Nothing was run.`);
  return folder;
}

/** The output, and one line about the end where there is something to say. */
function describeResult(result: CommandResult, command: string, seconds: number): string {
  const note = describeEnd(result, command, seconds);
  const output = result.output.replace(/\n+$/, '');
  if (note === undefined) return output === '' ? '(no output)' : output;
  return output === '' ? `[${note}]` : `${output}\n[${note}]`;
}

function describeEnd(result: CommandResult, command: string, seconds: number): string | undefined {
  switch (result.ended) {
    case 'timeout':
      return `stopped after ${seconds} s: its time was over; everything it started was ended`;
    case 'interrupted':
      return 'interrupted by the user; everything it started was ended';
    case 'signal':
      return `ended by ${result.signalName ?? 'a signal'}${result.signalName === 'SIGKILL' ? ', perhaps out of memory' : ''}`;
    default:
      return result.exitCode ? describeExitCode(result.exitCode, command) : undefined;
  }
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

/** Some codes say less, or more, than that something went wrong. */
function describeExitCode(code: number, command: string): string {
  const last = command.split(/[|;&\n]+/).findLast((part) => part.trim() !== '') ?? '';
  const program = last.trim().split(/\s/, 1)[0] ?? '';
  const meaning = code === 1 ? NO_FAULT.get(program) : EXIT_CODES[code];
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
