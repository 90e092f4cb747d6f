import { outsideSandbox, unlessIsolated } from '../approvals/index.ts';
import { errorMessage } from '../base/index.ts';
import type { BackgroundProcess, ToolContext } from '../contracts/index.ts';
import { describeEnding } from '../processes/index.ts';
import { ToolDenied, ToolFailure, ToolInterrupted } from '../tools/index.ts';
import { truncateMiddle, shorten, takeEnd } from '../util/index.ts';
import { createLogExcerpt } from './logs/log-excerpt.ts';
import { runsTestsOrBuild } from './logs/runner-commands.ts';
import { MAX_WAIT_SECONDS, type ProcessArgs as Args } from './process.ts';

const DEFAULT_WAIT_SECONDS = 180;

/** Runs the requested action of the `process` tool. */
export async function runProcessAction(all: BackgroundProcess[], args: Args, context: ToolContext): Promise<string> {
  if (args.action === 'list') return describeList(all);
  return ACTION_HANDLERS[args.action](findProcess(all, args), args, context);
}

type Action = (process: BackgroundProcess, args: Args, context: ToolContext) => Promise<string>;

const ACTION_HANDLERS: Readonly<Record<Exclude<Args['action'], 'list'>, Action>> = {
  poll: async (process) => describeState(process),
  log: async (process, args, context) => describeLog(process, args, context.maxResultCharacters),
  wait: waitFor,
  kill,
  write: (process, args, context) => writeInput(process, requireData(args), context),
  // A pseudo-terminal expects a carriage return for Enter.
  submit: (process, args, context) => writeInput(process, `${args.data ?? ''}${process.pty ? '\r' : '\n'}`, context),
  async close(process) {
    requireOpenInput(process);
    process.closeInput();
    return `Closed the stdin of ${process.id}.`;
  },
};

const NO_PROCESSES = 'There are no background processes.';

function findProcess(all: readonly BackgroundProcess[], { action, session_id: wanted = '' }: Args): BackgroundProcess {
  if (wanted.trim() === '')
    throw new ToolFailure(`${action} requires session_id: the id (proc_…) that terminal returned.`);
  const prefix = wanted.trim();
  const matching = all.filter(({ id }) => id === prefix || id.startsWith(prefix) || id.startsWith(`proc_${prefix}`));
  const [first] = matching;
  if (first !== undefined && matching.length === 1) return first;
  const ids = (matching.length > 1 ? matching : all).map(({ id }) => id).join(', ');
  if (matching.length > 1) throw new ToolFailure(`${prefix} matches several processes: ${ids}. Use the full id.`);
  throw new ToolFailure(
    `Process not found: ${prefix}. ${ids === '' ? NO_PROCESSES : `The background processes are ${ids}.`}`,
  );
}

/** Waits until the process exits, the wait times out or the turn is interrupted. The process itself is not affected. */
async function waitFor(process: BackgroundProcess, { timeout }: Args, { signal }: ToolContext): Promise<string> {
  const seconds = Math.min(Math.max(timeout ?? DEFAULT_WAIT_SECONDS, 0), MAX_WAIT_SECONDS);
  const timeUp = AbortSignal.timeout(seconds * 1000);
  try {
    await process.untilEnded(AbortSignal.any([signal, timeUp]));
  } catch (thrown) {
    if (signal.aborted)
      throw new ToolInterrupted(
        `${describeState(process)}\n[the wait was interrupted by the user; the process keeps running]`,
      );
    if (!timeUp.aborted) throw thrown;
    const runs = `the process keeps running${describeRunTime(Date.now() - process.startedAt)}`;
    return `${describeState(process)}\n[the wait timed out after ${seconds} s; ${runs}]`;
  }
  return describeState(process);
}

/** In minutes, so that waits for a silent process differ and are not a loop of identical calls, unless they are short. */
export function describeRunTime(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  return minutes < 1 ? '' : `; it was started ${minutes} min ago`;
}

async function kill(process: BackgroundProcess): Promise<string> {
  if (process.ending() !== undefined) return `Nothing to kill. ${describeState(process)}`;
  const gone = await process.kill();
  if (!gone) return `${process.id} was killed, but some processes that it started are still running.`;
  return `Killed the process and its child processes. ${describeState(process)}`;
}

function requireData({ data, action }: Args): string {
  if (data === undefined || data === '') throw new ToolFailure(`${action} requires data.`);
  return data;
}

function requireOpenInput(process: BackgroundProcess): void {
  if (process.recovered) {
    throw new ToolFailure(
      `${process.id} was started by an earlier run of Hermes, so its stdin is not available. Input cannot be sent to this process.`,
    );
  }
  if (process.ending() !== undefined) throw new ToolFailure(`${process.id} has exited and no longer reads stdin.`);
}

async function writeInput(process: BackgroundProcess, data: string, context: ToolContext): Promise<string> {
  requireOpenInput(process);
  await requireApproval(process, data, context);
  try {
    await process.write(data);
  } catch (thrown) {
    throw new ToolFailure(`Could not write to the stdin of ${process.id}: ${errorMessage(thrown)}.`);
  }
  return `Wrote ${data.length} characters to the stdin of ${process.id}.`;
}

/** Programs that execute their input. */
const SHELLS = /(?:^|[\s/;&|])(?:ba|z|da|k|fi|c|tc)?sh\b|(?:^|[\s/;&|])(?:ssh|su|sudo|login|screen|tmux)\b/;

/** Input to a background shell is judged like a command, so that it cannot bypass approvals. */
async function requireApproval(process: BackgroundProcess, data: string, context: ToolContext): Promise<void> {
  if (!SHELLS.test(process.command)) return;
  const { approvals, environment } = context;
  const subject = `${process.openLine}${data}`.replaceAll('\r', '\n').trim();
  const judged = await approvals.judgeCommand(subject, process.directory, environment);
  const isOutside = environment.sandbox !== undefined && process.place !== environment.location;
  const judgement = isOutside ? outsideSandbox(judged, subject) : unlessIsolated(judged, environment);
  const decision = await approvals.decide({ toolName: 'process', subject, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

const DEFAULT_LINES = 200;
/** Limit of the output that `poll` returns; `log` returns all of it. */
const MAX_NEW_OUTPUT = 20_000;
const SHOWN_COMMAND = 120;
const NOTICE_ROOM = 300;

export function describeList(all: readonly BackgroundProcess[]): string {
  if (all.length === 0) return NO_PROCESSES;
  return all
    .map((process) => {
      const from = process.recovered ? ', started by an earlier run of Hermes' : '';
      const state = describeEnding(process).replace(/^(?:is|was) /, '');
      return `${process.id} (pid ${process.pid}${from}), ${state}: ${shorten(process.command, SHOWN_COMMAND)}`;
    })
    .join('\n');
}

/** The state of a process and its output since the last poll. */
export function describeState(process: BackgroundProcess): string {
  const { text, dropped } = process.output.readNew();
  const state = `${process.id} ${describeEnding(process)}.`;
  if (process.ending() !== undefined) process.markEndingRead();
  if (text.trim() === '') return `${state} No new output.`;
  const gap = dropped > 0 ? ` ([… ${dropped} characters dropped …])` : '';
  return `${state} New output${gap}:\n${shortenNew(text, process)}`;
}

function shortenNew(text: string, { command }: BackgroundProcess): string {
  const excerpt = createLogExcerpt(MAX_NEW_OUTPUT);
  if (runsTestsOrBuild(command)) excerpt.push(text);
  const selected = excerpt.finish();
  if (selected === undefined) return truncateMiddle(text, MAX_NEW_OUTPUT).trimEnd();
  return `${selected.text}\n[this is the beginning, the failures and the end of the new output; action log shows all of it]`;
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
  if (last === 0) return `${state}. No output.`;
  if (page.length === 0) return `${state}. There is no line ${from}; the last line is ${last}.`;
  const gone = droppedLines > 0 ? `, lines before ${droppedLines + 1} were dropped` : '';
  const head = `${state}. Lines ${from}-${from + page.length - 1} of ${last}${gone}:`;
  return `${head}\n${takeEnd(page.join('\n'), maxCharacters - NOTICE_ROOM)}`;
}
