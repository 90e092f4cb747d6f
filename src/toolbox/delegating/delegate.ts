import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type {
  AgentToolState,
  DelegatedTask,
  SubagentUpdate,
  SubagentReport,
  ToolContext,
} from '../../contracts/index.ts';
import {
  saveFullText,
  requireAgent,
  ToolFailedOutput,
  ToolFailure,
  ToolInterrupted,
  describeFullText,
} from '../../tools/index.ts';
import { truncateMiddle, shorten, takeStart } from '../../util/index.ts';
import type { DelegateArguments } from '../delegate-task.ts';

/** Limit of all reports of a call together. */
const MAX_CHARACTERS = 24_000;
/** Limit per turn. An agent that delegates more is going in circles. */
const MAX_TASKS = 50;

/** Runs the tasks of a `delegate_task` call. The failure of a subagent is part of the result. */
export async function delegate({ tasks }: DelegateArguments, context: ToolContext): Promise<string> {
  const agent = requireAgent(context, 'delegate_task');
  const { delegation } = context.services;
  if (delegation === undefined) throw new ToolFailure('Subagents are not available here.');
  countTasks(agent, context.taskId, tasks.length);
  const reports = await delegation.run(tasks.map(toTask), {
    sessionId: context.sessionId,
    signal: context.signal,
    interaction: context.interaction,
    report(news) {
      context.reportSubagent(news);
      const line = describeSubagentEvent(news, tasks[news.task - 1]?.goal ?? '');
      if (line !== undefined) context.progress(`${line}\n`);
    },
  });
  const text = await fit(reports, tasks, context);
  if (context.signal.aborted) throw new ToolInterrupted(text);
  if (reports.every(({ ended }) => ended !== 'completed')) throw new ToolFailedOutput(text);
  return text;
}

function toTask({ output_schema: schema, ...task }: DelegateArguments['tasks'][number]): DelegatedTask {
  // Arguments are parsed JSON, so the cast is safe.
  return schema === undefined ? task : { ...task, outputSchema: schema as JsonObject };
}

function countTasks(agent: AgentToolState, taskId: string, tasks: number): void {
  const before = agent.delegated?.taskId === taskId ? agent.delegated.count : 0;
  if (before + tasks > MAX_TASKS) {
    const rest = 'Nothing was started. Do the remaining work yourself, or finish and report what is left to do.';
    throw new ToolFailure(
      `At most ${MAX_TASKS} tasks can be delegated per turn; ${before} have already been delegated. ${rest}`,
    );
  }
  agent.delegated = { taskId, count: before + tasks };
}

/** Truncates long reports to a fair share each and saves the full text to a spill file. */
async function fit(
  given: readonly SubagentReport[],
  tasks: DelegateArguments['tasks'],
  context: ToolContext,
): Promise<string> {
  const limit = Math.min(MAX_CHARACTERS, context.maxResultCharacters);
  if (formatReports(given, tasks).length <= limit) return formatReports(given, tasks);
  const reports = await Promise.all(
    given.map(async (report, at) =>
      tasks[at]?.output_schema === undefined ? report : moveJsonToFile(report, context),
    ),
  );
  const whole = formatReports(reports, tasks);
  if (whole.length <= limit) return whole;
  return fitReports(reports, tasks, { limit, where: describeFullText(await saveFullText(whole, context)) });
}

/** JSON above this size is moved to a file if the reports are too long together. */
const MAX_SHOWN_JSON = 1000;
const JSON_START = 300;

/** Truncated JSON cannot be parsed, so the report says where the whole JSON is and how it starts. */
async function moveJsonToFile(report: SubagentReport, context: ToolContext): Promise<SubagentReport> {
  const { text, ended } = report;
  if (ended !== 'completed' || text.length <= MAX_SHOWN_JSON) return report;
  const file = await saveFullText(text, context, 'json');
  if (file === undefined) return report;
  const size = text.length.toLocaleString('en-US');
  return {
    ...report,
    text: `The JSON has ${size} characters and is in ${file}. It starts with: ${takeStart(text, JSON_START)}`,
  };
}

const LONGEST = 80;

/** One progress line about a subagent, or undefined for events that are not shown. */
function describeSubagentEvent({ task, event }: SubagentUpdate, goal: string): string | undefined {
  const line = (text: string) => `[${task}] ${shorten(text, LONGEST)}`;
  switch (event.type) {
    case 'started':
      return line(`begins: ${goal}`);
    case 'tool-started':
      return line(`${event.name} ${aboutOf(event.arguments)}`);
    case 'fallback':
      return line(`falls back to ${event.to}`);
    case 'warning':
      return line(`! ${event.message}`);
    case 'ended':
      return line(`${event.exitReason} after ${Math.round(event.durationMs / 1000)} s`);
    default:
      return undefined;
  }
}

/** The first string argument usually says what a call is about. */
function aboutOf(text: string): string {
  const parsed = parseJson(text);
  const first = isJsonObject(parsed) ? Object.values(parsed).find((value) => typeof value === 'string') : undefined;
  return typeof first === 'string' ? first : '';
}

type Goals = readonly { goal: string }[];

const SHOWN_GOAL = 80;
const SHOWN_ERROR = 600;
/** Reserved for a truncation notice. */
const NOTICE_ROOM = 60;
/** A report is never truncated below this. */
const SHORTEST = 200;

const ENDINGS: Readonly<Record<SubagentReport['ended'], string>> = {
  completed: 'completed',
  interrupted: 'interrupted',
  failed: 'failed',
  limit_reached: 'stopped: a spending limit was reached',
  repetition_stopped: 'stopped: the subagent repeated the same calls',
  max_iterations: 'stopped: step limit reached',
  budget_exhausted: 'stopped: step limit reached',
  truncated: 'the report was truncated',
  empty: 'the report was empty',
  timed_out: 'timed out',
  not_started: 'not started',
};

/** All reports in the order of their tasks. */
export function formatReports(reports: readonly SubagentReport[], tasks: Goals, longest = Number.POSITIVE_INFINITY) {
  return reports
    .map((report, index) => {
      const { text } = report;
      const shown = text.length <= longest ? text : truncateMiddle(text, longest - NOTICE_ROOM);
      return [headOf(report, index + 1, tasks), errorOf(report), shown].filter((part) => part !== '').join('\n');
    })
    .join('\n\n');
}

/** The reports within a limit: short ones stay whole, and long ones share the rest. */
export function fitReports(
  reports: readonly SubagentReport[],
  tasks: Goals,
  { limit, where }: { limit: number; where: string },
): string {
  const around = formatReports(
    reports.map((report) => ({ ...report, text: '' })),
    tasks,
  ).length;
  const room = limit - around - reports.length - where.length - NOTICE_ROOM;
  const longest = shareOf(
    reports.map(({ text }) => text.length),
    room,
  );
  const fitted = formatReports(reports, tasks, Math.max(longest, SHORTEST));
  return `${takeStart(fitted, limit - where.length - NOTICE_ROOM)}\n\n[Truncated. ${where}]`;
}

/** The length to truncate to so that all texts fit into `room`. */
function shareOf(lengths: readonly number[], room: number): number {
  let left = room;
  const ascending = [...lengths].sort((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Math.max(...lengths);
}

function headOf({ ended, sessionId, toolCalls, durationMs }: SubagentReport, number: number, tasks: Goals): string {
  const goal = shorten(tasks[number - 1]?.goal ?? '', SHOWN_GOAL);
  const work =
    sessionId === undefined
      ? ''
      : ` (${toolCalls} tool call${toolCalls === 1 ? '' : 's'}, ${Math.round(durationMs / 1000)} s)`;
  return `## Task ${number} (${goal}): ${ENDINGS[ended]}${work}`;
}

/** Endings that need no error text: the ending says enough, and the text is meant for the user. */
const PLAIN: readonly SubagentReport['ended'][] = ['max_iterations', 'budget_exhausted', 'interrupted'];

function errorOf({ error, ended }: SubagentReport): string {
  return error === undefined || PLAIN.includes(ended) ? '' : `Reason: ${shorten(error, SHOWN_ERROR)}`;
}
