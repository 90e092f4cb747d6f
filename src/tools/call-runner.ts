import { errorMessage, type JsonObject, newId, type Clock } from '../base/index.ts';
import type {
  AgentToolState,
  ApprovalGuard,
  BatchContext,
  Environment,
  Hooks,
  Interaction,
  Logger,
  NestedTools,
  PreparedCall,
  ProcessTable,
  ToolContext,
  ToolOutcome,
} from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { batchLimit, fitResult, newSpillFile, resultLimit } from './result-budget.ts';
import { type BatchParts, MAX_PARALLEL, notRunnable, runBatch, catchErrors } from './run-batch.ts';
import { type CallPipeline, type CallResult, type ReadyCall, runCall } from './run-call.ts';
import { createCallSchedule, scopeOf } from './schedule.ts';
import type { ToolCatalog } from './tool-catalog.ts';
import { createToolHooks } from './tool-hooks.ts';
import type { ToolRequirements } from './tool.ts';

export type CallRunnerOptions = {
  stock: ToolCatalog;
  environment: Environment;
  hooks: Iterable<Hooks>;
  logger: Logger;
  clock: Clock;
  approvals: ApprovalGuard;
  services: NonNullable<ToolRequirements['services']>;
  processes: ProcessTable | undefined;
  spillFolder: string | undefined;
  maxResultCharacters: number | undefined;
  contextLength: number | undefined;
};

/** Runs the prepared calls of a tool set. The first call loads it, because many turns need no tool. */
export interface CallRunner {
  run(prepared: readonly PreparedCall[], context: BatchContext): Promise<void>;
  dispatchWithoutAgent(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolOutcome>;
}

/** Denies every approval and answers no question. */
const UNATTENDED: Interaction = { approve: async () => 'deny', clarify: async () => undefined };

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { stock, environment, logger, clock, approvals, services, spillFolder, maxResultCharacters: most } = options;
  const path: CallPipeline = { hooks: createToolHooks(options.hooks, logger), clock, spillFolder };
  const newFile = (sessionId: string, outside = false) =>
    spillFolder === undefined ? undefined : newSpillFile(spillFolder, sessionId, outside);

  // Every tool gets its context here, with or without an agent.
  async function execute(ready: ReadyCall, caller: Caller): Promise<CallResult> {
    const tool = stock.get(ready.toolName);
    const spillFile = () => newFile(caller.sessionId, tool.outsideText);
    const processes = options.processes?.forSession(caller.sessionId, environment);
    const { id: callId } = ready.call;
    // The result limit of a script's tool calls ignores the context window, because a script may process more than a
    // model can read.
    const inner = { ...caller, maxResultCharacters: resultLimit(most) };
    const tools = createInnerTools({ stock, environment, callId, caller: inner, execute });
    const given = { environment, logger, approvals, processes, services, spillFile, tools };
    return runCall(ready, tool, { ...caller, callId, ...given }, path);
  }

  const parts: BatchParts = {
    execute: (ready, batch) => execute(ready, callerOf(ready, batch, resultLimit(most, batch.contextLength), logger)),
    scope: (ready) => scopeOf(ready, stock.get(ready.toolName), environment),
    asksThePerson: (ready) => stock.get(ready.toolName).asksThePerson ?? false,
    clock,
    limits({ contextLength }) {
      const result = resultLimit(most, contextLength);
      return { result, batch: Math.max(result, batchLimit(contextLength)) };
    },
    async shorten(result, limit, { sessionId }) {
      const spillFile = () => newFile(sessionId, result.untrusted);
      return { ...result, ...(await fitResult(result, { limit, spillFile, logger })) };
    },
  };

  return {
    run: (prepared, context) => runBatch(prepared, context, parts),
    async dispatchWithoutAgent(name, args, signal) {
      const call = { id: newId('call'), name, arguments: JSON.stringify(args) };
      const outcomes: ToolOutcome[] = [];
      const batch = agentlessBatch(signal, options.contextLength, outcomes);
      await runBatch(await stock.prepare([call]), batch, {
        ...parts,
        execute(ready) {
          const limit = resultLimit(most, batch.contextLength);
          return execute(ready, { ...callerOf(ready, batch, limit, logger), agent: undefined, canAttach: false });
        },
      });
      return outcomes[0] as ToolOutcome;
    },
  };
}

type Caller = Omit<
  ToolContext,
  'callId' | 'environment' | 'logger' | 'approvals' | 'processes' | 'services' | 'spillFile' | 'tools'
>;

/** The part of the tool context that comes from the agent. */
function callerOf(prepared: PreparedCall, batch: BatchContext, maxResultCharacters: number, logger: Logger): Caller {
  const { sessionId, taskId, signal, interaction, state } = batch;
  // The callbacks run inside stream events, where an exception would crash the process.
  const show = (call: () => void) => {
    try {
      call();
    } catch (thrown) {
      logger.warn('could not report progress', { error: errorMessage(thrown) });
    }
  };
  return {
    sessionId,
    taskId,
    signal,
    interaction,
    agent: state,
    maxResultCharacters,
    canAttach: true,
    progress: (text) => show(() => batch.onProgress(prepared, text)),
    fileChanged: (change) => show(() => batch.onFileChanged?.(prepared, change)),
    reportSubagent: (news) => show(() => batch.onSubagent?.(prepared, news)),
  };
}

/** A batch of one call that only records its outcome. */
function agentlessBatch(signal: AbortSignal, contextLength: number | undefined, outcomes: ToolOutcome[]): BatchContext {
  const state: AgentToolState = { todos: [], approvedRules: new Set() };
  return {
    sessionId: '',
    taskId: '',
    signal,
    contextLength,
    interaction: UNATTENDED,
    state,
    onStarted() {},
    onProgress() {},
    async onResult(_prepared, outcome) {
      outcomes.push(outcome);
    },
  };
}

type InnerToolsParts = {
  stock: ToolCatalog;
  environment: Environment;
  /** The id of the outer call, which prefixes the ids of the inner ones. */
  callId: string;
  caller: Caller;
  execute(ready: ReadyCall, caller: Caller): Promise<CallResult>;
};

/** Tool calls made from inside another call, scheduled against each other like the calls of a batch. */
function createInnerTools(parts: InnerToolsParts): NestedTools {
  const { stock, environment, callId, caller, execute } = parts;
  const timetable = createCallSchedule();
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
      const agent = caller.agent && withoutSeenFiles(caller.agent);
      const inner = { ...caller, signal, interaction, agent, canAttach: false, progress: () => undefined };
      const run = () => catchErrors(() => execute(prepared, inner));
      const { status, content } = await timetable.add(scope, () => places.use(run));
      return { status, content };
    },
  };
}

/**
 * The agent's state with an empty record of seen files: the model has not seen what a script reads, and a script that
 * reads a file twice needs its content twice.
 */
function withoutSeenFiles(agent: AgentToolState): AgentToolState {
  return { ...agent, seenFiles: new Map() };
}
