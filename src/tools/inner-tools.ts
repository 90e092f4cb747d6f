import type { AgentToolState, Environment, InnerTools, ToolContext, ToolOutcome } from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { MAX_PARALLEL, notRunnable, safely } from './run-batch.ts';
import type { CallResult, ReadyCall } from './run-call.ts';
import { createTimetable, scopeOf } from './schedule.ts';
import type { Stock } from './stock.ts';

export type InnerToolsParts<Caller> = {
  stock: Stock;
  environment: Environment;
  /** The call inside of which they are called. */
  callId: string;
  caller: Caller;
  execute(ready: ReadyCall, caller: Caller): Promise<CallResult>;
};

type CallerFields = Pick<ToolContext, 'signal' | 'interaction' | 'agent' | 'progress'>;

/** Calls from inside another call. They wait for each other as those of a batch do. */
export function createInnerTools<Caller extends CallerFields>(parts: InnerToolsParts<Caller>): InnerTools {
  const { stock, environment, callId, caller, execute } = parts;
  const timetable = createTimetable();
  const places = createSemaphore(MAX_PARALLEL);
  let count = 0;
  return {
    names: stock.names,
    async call(name, args, { signal, interaction = caller.interaction }): Promise<ToolOutcome> {
      count += 1;
      const call = { id: `${callId}.${count}`, name, arguments: JSON.stringify(args) };
      const [prepared] = await stock.prepare([call]);
      if (prepared === undefined) throw new Error('a call was not prepared');
      if (prepared.status !== 'ready') return notRunnable(prepared);
      const scope = await scopeOf(prepared, stock.get(prepared.toolName), environment);
      const agent = caller.agent && withNothingSeen(caller.agent);
      const inner = { ...caller, signal, interaction, agent, progress: () => undefined };
      const run = () => safely(() => execute(prepared, inner));
      const { status, content } = await timetable.add(scope, () => places.use(run));
      return { status, content };
    },
  };
}

/**
 * What a program was shown the model has not seen, so the agent must not note it; and a program that reads something twice
 * wants it twice. All else is the agent's.
 */
function withNothingSeen(agent: AgentToolState): AgentToolState {
  return { ...agent, seenFiles: new Map() };
}
