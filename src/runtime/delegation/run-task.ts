import type { Run, RunInput } from '../../agent/index.ts';
import type { AgentEvent, RunResult, SubagentEvent } from '../../base/index.ts';
import type { DelegatedTask, DelegationCaller } from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';
import type { AnswerSchema, SchemaRun } from '../answer-schema/index.ts';
import type { OpenedAgent } from '../create-agent.ts';
import { startHeldRun } from '../held-run.ts';
import type { TurnQueue } from '../turn-queue.ts';

/** A layer of the subagent's system prompt. */
const SUBAGENT_LAYER =
  'You are a subagent: you work on one task that another agent delegated to you. The messages here contain everything you get, and you cannot ask questions. Your last message is your report, and the only text the other agent sees. State what you found or did, with the paths and names needed to continue, and say plainly what you could not do.';

/** The first message of a subagent. */
function taskMessage({ goal, context }: DelegatedTask): string {
  return context?.trim() ? `${goal}\n\n# Context\n\n${context}` : goal;
}

/** Maximum length of the goal in an approval prompt. */
const MAX_GOAL_LENGTH = 60;

export type NumberedTask = DelegatedTask & { task: number };

type Work = { opened: OpenedAgent; task: NumberedTask; caller: DelegationCaller };
type Message = Pick<RunInput, 'userMessage' | 'sentMessage' | 'outputSchema'> & { resume?: string };

/**
 * Runs the turn of a subagent, and a second one if its answer does not match the schema. In the events, both appear as one turn.
 */
export async function runTask(turns: TurnQueue, work: Work, schema: AnswerSchema | undefined): Promise<RunResult> {
  const message = { userMessage: taskMessage(work.task) };
  const runOne = (turn: Message) => runTurn(turns, work, turn);
  const result =
    schema === undefined
      ? await runOne(message)
      : await runWithAnswerSchema(work, { schema, message, runTurn: runOne });
  const { exitReason, apiCalls, toolCalls, durationMs, auxiliary } = result;
  reportEvent(work, { type: 'ended', exitReason, apiCalls, toolCalls, durationMs, ...(auxiliary && { auxiliary }) });
  return result;
}

async function runWithAnswerSchema(work: Work, run: Omit<SchemaRun, 'onInvalid'>): Promise<RunResult> {
  const { runWithSchema } = await import('../answer-schema/index.ts');
  return runWithSchema({
    ...run,
    onInvalid(problems) {
      const message = `the answer does not match the schema (${problems.join('; ')}); asking once more`;
      reportEvent(work, { type: 'warning', message });
    },
  });
}

async function runTurn(turns: TurnQueue, work: Work, { resume, ...message }: Message): Promise<RunResult> {
  const { opened, task, caller } = work;
  const { agent, blueprint } = opened;
  return turns.run(agent.sessionId, blueprint.surface, async (held) => {
    const input = { ...message, systemMessage: SUBAGENT_LAYER, signal: caller.signal };
    const { run, result } = startHeldRun(agent, held, input);
    for await (const event of run) {
      if (event.type === 'request') void answer(run, event, task, caller);
      const forwarded = toSubagentEvent(event);
      // Only the first turn is announced with `started`.
      if (forwarded !== undefined && (resume === undefined || forwarded.type !== 'started'))
        reportEvent(work, forwarded);
    }
    return result;
  });
}

/**
 * Forwards an approval request to the parent's user, naming the subagent. Approvals of the parent session do not
 * apply here.
 */
async function answer(
  run: Run,
  { requestId, request }: Extract<AgentEvent, { type: 'request' }>,
  { task, goal }: NumberedTask,
  { interaction }: DelegationCaller,
): Promise<void> {
  if (request.kind !== 'approval') return;
  const { kind: _, toolName, ...question } = request;
  const name = `${toolName} of subagent ${task} (${shorten(goal, MAX_GOAL_LENGTH)})`;
  const given = await interaction.approve({ ...question, toolName: name }).catch(() => 'deny' as const);
  const decided = typeof given === 'object' ? given : { answer: given };
  run.respond(requestId, { kind: 'approval', ...decided });
}

function reportEvent({ opened, task, caller }: Work, event: SubagentEvent): void {
  caller.report({ task: task.task, sessionId: opened.agent.sessionId, event });
}

/** Selects the events to forward. The end is reported by `workOn`, which knows that no second turn follows. */
function toSubagentEvent(event: AgentEvent): SubagentEvent | undefined {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-progress':
    case 'request':
    case 'request-closed':
    case 'subagent':
    case 'finished':
      return undefined;
    default:
      return event;
  }
}
