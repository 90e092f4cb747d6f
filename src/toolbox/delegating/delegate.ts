import type { JsonObject } from '../../base/index.ts';
import type { AgentToolState, DelegatedTask, SubagentReport, ToolContext } from '../../contracts/index.ts';
import {
  keepWhole,
  requireAgent,
  ToolFailedOutput,
  ToolFailure,
  ToolInterrupted,
  whereWhole,
} from '../../tools/index.ts';
import type { DelegateArguments } from '../delegate-task.ts';
import { describeNews } from './describe-news.ts';
import { fitReports, formatReports } from './format-reports.ts';

/** Of all reports of a call together. */
const MAX_CHARACTERS = 24_000;
/** In one turn: an agent that hands out more than that is going round in circles. */
const MOST_TASKS = 50;

/** Does what a call of `delegate_task` asks for. What goes wrong with a subagent is part of what the model reads. */
export async function delegate({ tasks }: DelegateArguments, context: ToolContext): Promise<string> {
  const agent = requireAgent(context, 'delegate_task');
  const { delegation } = context.services;
  if (delegation === undefined) throw new ToolFailure('There are no subagents here.');
  countTasks(agent, context.taskId, tasks.length);
  const reports = await delegation.run(tasks.map(toTask), {
    ...{ sessionId: context.sessionId, signal: context.signal, interaction: context.interaction },
    tell(news) {
      context.tellOfSubagent(news);
      const line = describeNews(news, tasks[news.task - 1]?.goal ?? '');
      if (line !== undefined) context.progress(`${line}\n`);
    },
  });
  const text = await fit(reports, tasks, context);
  if (context.signal.aborted) throw new ToolInterrupted(text);
  if (reports.every(({ ended }) => ended !== 'completed')) throw new ToolFailedOutput(text);
  return text;
}

function toTask({ output_schema: schema, ...task }: DelegateArguments['tasks'][number]): DelegatedTask {
  // Arguments come from JSON, so there is nothing else in them.
  return schema === undefined ? task : { ...task, outputSchema: schema as JsonObject };
}

function countTasks(agent: AgentToolState, taskId: string, tasks: number): void {
  const before = agent.delegated?.taskId === taskId ? agent.delegated.count : 0;
  if (before + tasks > MOST_TASKS) {
    const rest = 'Nothing was begun. Do what is left yourself, or end and say what is left.';
    throw new ToolFailure(`In one turn ${MOST_TASKS} tasks can be handed out, and ${before} were. ${rest}`);
  }
  agent.delegated = { taskId, count: before + tasks };
}

/** Reports that are too long are cut, each to a fair share; the whole of them is in a file. */
async function fit(
  reports: readonly SubagentReport[],
  tasks: DelegateArguments['tasks'],
  context: ToolContext,
): Promise<string> {
  const limit = Math.min(MAX_CHARACTERS, context.maxResultCharacters);
  const whole = formatReports(reports, tasks);
  if (whole.length <= limit) return whole;
  return fitReports(reports, tasks, { limit, where: whereWhole(await keepWhole(whole, context)) });
}
