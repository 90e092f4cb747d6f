import type { Run, RunInput } from '../../agent/index.ts';
import type { AgentEvent, InteractionAnswer, RunResult, SubagentEvent } from '../../base/index.ts';
import type { DelegatedTask, DelegationCaller } from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';
import type { AnswerSchema, SchemaRun } from '../answer-schema/index.ts';
import type { OpenedAgent } from '../create-agent.ts';
import { startHeldRun } from '../held-run.ts';
import type { TurnQueue } from '../turn-queue.ts';

/** One layer of a subagent's prompt. */
const SUBAGENT_LAYER =
  'You work on one task that another agent handed to you, and nobody reads along. What you are told is all you get; nobody can be asked. Your last message is your report, and the only thing the other agent sees: what you found or did, with paths and names that are needed to go on, and plainly what you could not do.';

/** The first message of a subagent. */
function taskMessage({ goal, context }: DelegatedTask): string {
  return context?.trim() ? `${goal}\n\n# What you need to know\n\n${context}` : goal;
}

/** Of a goal, where a person is asked something for it. */
const SHOWN_GOAL = 60;

export type NumberedTask = DelegatedTask & { task: number };

type Work = { opened: OpenedAgent; task: NumberedTask; caller: DelegationCaller };
type Message = Pick<RunInput, 'userMessage' | 'sentMessage' | 'outputSchema'> & { resume?: string };

/** The turn of a subagent, and a second one where its answer does not fit. Whoever watches sees one piece of work. */
export async function workOn(turns: TurnQueue, work: Work, schema: AnswerSchema | undefined): Promise<RunResult> {
  const message = { userMessage: taskMessage(work.task) };
  const runOne = (turn: Message) => runTurn(turns, work, turn);
  const result =
    schema === undefined ? await runOne(message) : await runUntilItFits(work, { schema, message, runTurn: runOne });
  const { exitReason, apiCalls, toolCalls, durationMs, auxiliary } = result;
  tell(work, { type: 'ended', exitReason, apiCalls, toolCalls, durationMs, ...(auxiliary && { auxiliary }) });
  return result;
}

async function runUntilItFits(work: Work, run: Omit<SchemaRun, 'onInvalid'>): Promise<RunResult> {
  const { runWithSchema } = await import('../answer-schema/index.ts');
  return runWithSchema({
    ...run,
    onInvalid(problems) {
      const message = `its answer does not validate (${problems.join('; ')}); it is asked for once more`;
      tell(work, { type: 'warning', message });
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
      const told = toTell(event);
      // A second turn is no new beginning.
      if (told !== undefined && (resume === undefined || told.type !== 'started')) tell(work, told);
    }
    return result;
  });
}

/** Whoever is there for its agent is asked, and told for whom. What was allowed to others counts for nothing here. */
async function answer(
  run: Run,
  { requestId, request }: Extract<AgentEvent, { type: 'request' }>,
  { task, goal }: NumberedTask,
  { interaction }: DelegationCaller,
): Promise<void> {
  const none: InteractionAnswer = { kind: 'approval', answer: 'deny' };
  if (request.kind !== 'approval') return;
  const { kind: _, toolName, ...question } = request;
  const name = `${toolName} of subagent ${task} (${shorten(goal, SHOWN_GOAL)})`;
  const given = await interaction.approve({ ...question, toolName: name }).catch(() => 'deny' as const);
  run.respond(requestId, { ...none, answer: given });
}

function tell({ opened, task, caller }: Work, event: SubagentEvent): void {
  caller.tell({ task: task.task, sessionId: opened.agent.sessionId, event });
}

/** The end is told by whoever knows that nothing follows. */
function toTell(event: AgentEvent): SubagentEvent | undefined {
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
