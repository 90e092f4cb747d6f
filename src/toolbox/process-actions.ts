import { unlessIsolated } from '../approvals/index.ts';
import { errorMessage } from '../base/index.ts';
import type { BackgroundProcess, ToolContext } from '../contracts/index.ts';
import { describeEnding } from '../processes/index.ts';
import { ToolDenied, ToolFailure, ToolInterrupted } from '../tools/index.ts';
import { cutMiddle, shorten, takeEnd } from '../util/index.ts';
import { MAX_WAIT_SECONDS, type ProcessArgs as Args } from './process.ts';

const DEFAULT_WAIT_SECONDS = 180;

/** Runs the requested action of the `process` tool. */
export async function actOn(all: BackgroundProcess[], args: Args, context: ToolContext): Promise<string> {
  if (args.action === 'list') return describeList(all);
  return ACT[args.action](findProcess(all, args), args, context);
}

type Action = (process: BackgroundProcess, args: Args, context: ToolContext) => Promise<string>;

const ACT: Readonly<Record<Exclude<Args['action'], 'list'>, Action>> = {
  poll: async (process) => describeState(process),
  log: async (process, args, context) => describeLog(process, args, context.maxResultCharacters),
  wait: waitFor,
  kill,
  write: (process, args, context) => give(process, requireData(args), context),
  // A pseudo-terminal expects a carriage return for Enter.
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

/** Waits until the process exits, the wait times out or the turn is interrupted. The process itself is not affected. */
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

/** Programs that execute their input. */
const SHELLS = /(?:^|[\s/;&|])(?:ba|z|da|k|fi|c|tc)?sh\b|(?:^|[\s/;&|])(?:ssh|su|sudo|login|screen|tmux)\b/;

/** Input to a background shell is judged like a command, so that it cannot bypass approvals. */
async function requireApproval(process: BackgroundProcess, data: string, context: ToolContext): Promise<void> {
  if (!SHELLS.test(process.command)) return;
  const { approvals, environment } = context;
  const subject = `${process.openLine}${data}`.replaceAll('\r', '\n').trim();
  const judgement = unlessIsolated(await approvals.judgeCommand(subject, process.directory), environment);
  const decision = await approvals.decide({ toolName: 'process', subject, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

const DEFAULT_LINES = 200;
/** Limit of the output that `poll` returns; `log` returns all of it. */
const MAX_NEW_OUTPUT = 20_000;
const SHOWN_COMMAND = 120;
const NOTICE_ROOM = 300;

export function describeList(all: readonly BackgroundProcess[]): string {
  if (all.length === 0) return 'No background processes.';
  return all
    .map((process) => {
      const from = process.found ? ', left by an earlier run' : '';
      return `${process.id}, pid ${process.pid}${from}, ${describeEnding(process)}: ${shorten(process.command, SHOWN_COMMAND)}`;
    })
    .join('\n');
}

/** The state of a process and its output since the last poll. */
export function describeState(process: BackgroundProcess): string {
  const { text, dropped } = process.output.takeNew();
  const state = `${process.id} ${describeEnding(process)}.`;
  if (process.ending() !== undefined) process.noteEndingRead();
  if (text.trim() === '') return `${state} No new output.`;
  const gap = dropped > 0 ? ` ([… ${dropped} characters dropped …])` : '';
  return `${state} New output${gap}:\n${cutMiddle(text, MAX_NEW_OUTPUT).trimEnd()}`;
}

export type Page = { offset?: number | undefined; limit?: number | undefined };

/** A page of the retained output; the last page if `offset` is not given. */
function describeLog(process: BackgroundProcess, { offset = 0, limit }: Page, maxCharacters: number): string {
  const droppedLines = process.output.droppedLines();
  const text = process.output.text();
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const last = droppedLines + lines.length;
  const count = Math.max(1, limit ?? DEFAULT_LINES);
  const from = Math.max(offset > 0 ? offset : last - count + 1, droppedLines + 1);
  const page = lines.slice(from - droppedLines - 1, from - droppedLines - 1 + count);
  const state = `${process.id} ${describeEnding(process)}`;
  if (last === 0) return `${state}. It has printed nothing.`;
  if (page.length === 0) return `${state}. It has no line ${from}: the last one is ${last}.`;
  const gone = droppedLines > 0 ? `, lines before ${droppedLines + 1} were dropped` : '';
  const head = `${state}. Lines ${from}-${from + page.length - 1} of ${last}${gone}:`;
  return `${head}\n${takeEnd(page.join('\n'), maxCharacters - NOTICE_ROOM)}`;
}
