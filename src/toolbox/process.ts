import * as z from 'zod/mini';
import { errorMessage } from '../base/index.ts';
import type { BackgroundProcess, Concurrency, ToolContext } from '../contracts/index.ts';
import { defineTool, ToolDenied, ToolFailure, ToolInterrupted } from '../tools/index.ts';
import { describeList, describeLog, describeState } from './process-answers.ts';

const DEFAULT_WAIT_SECONDS = 180;
const MAX_WAIT_SECONDS = 600;

const ACTIONS = ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'] as const;

const parameters = z.object({
  action: z.enum(ACTIONS),
  session_id: z.optional(z.string().check(z.describe('proc_… or its beginning; not for list'))),
  data: z.optional(z.string().check(z.describe('for write and submit'))),
  timeout: z.optional(z.number().check(z.describe(`of wait: seconds, at most ${MAX_WAIT_SECONDS}`))),
  offset: z.optional(z.int().check(z.describe('of log: first line, counted from 1'))),
  limit: z.optional(z.int().check(z.describe('of log: lines, 200 by default'))),
});
type Args = z.output<typeof parameters>;

export const processTool = defineTool({
  name: 'process',
  toolset: 'terminal',
  emoji: '⚙️',
  description:
    'Look after commands that terminal started in the background: list; poll (state, new output); log (page through output); wait (until it ends); kill (with all it started); write (input as it is), submit (input and Enter), close (end of input). Not for other processes of the machine.',
  parameters,
  concurrency: ({ action }): Concurrency => ({ mode: LOOKING.has(action) ? 'parallel' : 'barrier' }),
  async run(args, context) {
    const { processes } = context;
    if (processes === undefined) throw new ToolFailure('Nothing runs in the background here.');
    const all = await processes.list();
    if (args.action === 'list') return describeList(all);
    return ACT[args.action](findProcess(all, args), args, context);
  },
});

/** What only looks may run beside anything; what acts keeps the order of the calls. */
const LOOKING: ReadonlySet<string> = new Set(['list', 'poll', 'log', 'wait']);

type Action = (process: BackgroundProcess, args: Args, context: ToolContext) => Promise<string>;

const ACT: Readonly<Record<Exclude<Args['action'], 'list'>, Action>> = {
  poll: async (process) => describeState(process),
  log: async (process, args, context) => describeLog(process, args, context.maxResultCharacters),
  wait: waitFor,
  kill,
  write: (process, args, context) => give(process, requireData(args), context),
  // In a terminal it is this key that ends a line.
  submit: (process, args, context) => give(process, `${args.data ?? ''}${process.pty ? '\r' : '\n'}`, context),
  async close(process) {
    requireReader(process);
    process.closeInput();
    return `The input of ${process.id} was closed.`;
  },
};

function findProcess(all: readonly BackgroundProcess[], { action, session_id: wanted = '' }: Args): BackgroundProcess {
  if (wanted.trim() === '') throw new ToolFailure(`${action} needs session_id, the id that terminal gave.`);
  const prefix = wanted.trim();
  const matching = all.filter(({ id }) => id === prefix || id.startsWith(prefix) || id.startsWith(`proc_${prefix}`));
  const [first] = matching;
  if (first !== undefined && matching.length === 1) return first;
  const ids = (matching.length > 1 ? matching : all).map(({ id }) => id).join(', ');
  if (matching.length > 1) throw new ToolFailure(`${prefix} could be any of ${ids}.`);
  throw new ToolFailure(`There is no process ${prefix}. ${ids === '' ? 'None is known.' : `Known are ${ids}.`}`);
}

/** Until it ends, the time is over, or the turn is interrupted; the process is not touched by that. */
async function waitFor(process: BackgroundProcess, { timeout }: Args, { signal }: ToolContext): Promise<string> {
  const seconds = Math.min(Math.max(timeout ?? DEFAULT_WAIT_SECONDS, 0), MAX_WAIT_SECONDS);
  const timeUp = AbortSignal.timeout(seconds * 1000);
  try {
    await process.untilEnded(AbortSignal.any([signal, timeUp]));
  } catch (thrown) {
    if (signal.aborted) throw new ToolInterrupted(`${describeState(process)}\n[waiting was interrupted by the user]`);
    if (!timeUp.aborted) throw thrown;
    return `${describeState(process)}\n[waited ${seconds} s]`;
  }
  return describeState(process);
}

async function kill(process: BackgroundProcess): Promise<string> {
  if (process.ending() !== undefined) return `Nothing to end. ${describeState(process)}`;
  const gone = await process.kill();
  if (!gone) return `${process.id} was told to end and then killed, but something of it still runs.`;
  return `Ended with all it had started. ${describeState(process)}`;
}

function requireData({ data, action }: Args): string {
  if (data === undefined || data === '') throw new ToolFailure(`${action} needs data.`);
  return data;
}

function requireReader(process: BackgroundProcess): void {
  if (process.found) {
    throw new ToolFailure(`${process.id} was started by an earlier run; its input is out of reach. It can be killed.`);
  }
  if (process.ending() !== undefined) throw new ToolFailure(`${process.id} has ended and reads nothing any more.`);
}

async function give(process: BackgroundProcess, data: string, context: ToolContext): Promise<string> {
  requireReader(process);
  await requireApproval(process, data, context);
  try {
    await process.write(data);
  } catch (thrown) {
    throw new ToolFailure(`${process.id} took nothing: ${errorMessage(thrown)}.`);
  }
  return `${process.id} was given ${data.length} characters.`;
}

/** Programs that run what they read. */
const SHELLS = /(?:^|[\s/;&|])(?:ba|z|da|k|fi|c|tc)?sh\b|(?:^|[\s/;&|])(?:ssh|su|sudo|login|screen|tmux)\b/;

/** A shell in the background is no way around the approvals: what it is given is judged like a command. */
async function requireApproval(process: BackgroundProcess, data: string, context: ToolContext): Promise<void> {
  if (!SHELLS.test(process.command)) return;
  const { approvals } = context;
  const subject = `${process.openLine}${data}`.replaceAll('\r', '\n').trim();
  const judgement = await approvals.judgeCommand(subject, process.directory);
  const decision = await approvals.decide({ toolName: 'process', subject, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}
