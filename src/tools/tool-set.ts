import { createApprovalGuard } from '../approvals/index.ts';
import { type Clock, errorMessage, type JsonObject, newId, systemClock } from '../base/index.ts';
import {
  type AgentToolState,
  type ApprovalGuard,
  type BatchContext,
  type Environment,
  type Hooks,
  type Interaction,
  type Logger,
  type PreparedCall,
  type ProcessTable,
  silentLogger,
  type ToolContext,
  type ToolOutcome,
  type ToolSet,
} from '../contracts/index.ts';
import type { Tool } from './define-tool.ts';
import { prepareCall } from './prepare-call.ts';
import { newSpillFile, resultLimit } from './result-budget.ts';
import { type BatchParts, runBatch } from './run-batch.ts';
import { type CallPath, type ReadyCall, runCall } from './run-call.ts';
import { scopeOf } from './schedule.ts';
import { createToolHooks } from './tool-hooks.ts';

export type ToolSetOptions = {
  tools: readonly Tool[];
  environment: Environment;
  hooks?: readonly Hooks[];
  logger?: Logger;
  /** Asks about everything dangerous where none is given. */
  approvals?: ApprovalGuard;
  clock?: Clock;
  /** Where commands run in the background; without it none do. */
  processes?: ProcessTable;
  /** Where results that are too long for the model are kept whole. */
  spillFolder?: string;
  maxResultCharacters?: number;
  /** The model's window in tokens, for calls without an agent: a batch says itself which model reads its results. */
  contextLength?: number;
};

/** A tool set that can also be used by code without an agent. */
export interface AgentlessToolSet extends ToolSet {
  /** One call without an agent. Tools that work on an agent's state answer that they need one. */
  dispatchWithoutAgent(name: string, args: JsonObject, options?: { signal?: AbortSignal }): Promise<ToolOutcome>;
}

/** Nobody is there. */
const NOBODY: Interaction = { approve: async () => 'deny', clarify: async () => undefined };

export function createToolSet(options: ToolSetOptions): AgentlessToolSet {
  const { environment, logger = silentLogger, clock = systemClock } = options;
  const tools = registerTools(options.tools, logger);
  const { spillFolder, maxResultCharacters: most } = options;
  const path: CallPath = { hooks: createToolHooks(options.hooks ?? [], logger), clock };
  const approvals = options.approvals ?? createApprovalGuard();

  // Asked anew each time: a service may come or go while the program runs.
  function available(): Map<string, Tool> {
    return new Map([...tools].filter(([, tool]) => isAvailable(tool, logger)));
  }

  // The only place where a tool gets its context: with or without an agent, this is the way.
  function execute(ready: ReadyCall, caller: Caller): Promise<ToolOutcome> {
    const tool = tools.get(ready.toolName) as Tool;
    const context: ToolContext = {
      ...caller,
      callId: ready.call.id,
      environment,
      logger,
      approvals,
      processes: options.processes?.forSession(caller.sessionId, environment),
      spillFile: () => (spillFolder === undefined ? undefined : newSpillFile(spillFolder, caller.sessionId)),
    };
    return runCall(ready, tool, context, path);
  }

  const parts: BatchParts = {
    execute: (ready, batch) => execute(ready, callerOf(ready, batch, resultLimit(most, batch.contextLength), logger)),
    scope: (ready) => scopeOf(ready, tools.get(ready.toolName) as Tool, environment),
    asksThePerson: (ready) => tools.get(ready.toolName)?.asksThePerson ?? false,
    now: () => clock.now(),
  };

  return {
    definitions: () => [...available().values()].map((tool) => tool.definition()),
    prepare(calls) {
      const present = available();
      return calls.map((call) => prepareCall(call, present));
    },
    run: (prepared, context) => runBatch(prepared, context, parts),
    async dispatchWithoutAgent(name, args, { signal = new AbortController().signal } = {}) {
      const call = { id: newId('call'), name, arguments: JSON.stringify(args) };
      const outcomes: ToolOutcome[] = [];
      const batch = agentlessBatch(signal, options.contextLength, outcomes);
      await runBatch([prepareCall(call, available())], batch, {
        ...parts,
        execute(ready) {
          const limit = resultLimit(most, batch.contextLength);
          return execute(ready, { ...callerOf(ready, batch, limit, logger), agent: undefined });
        },
      });
      return outcomes[0] as ToolOutcome;
    },
  };
}

type Caller = Omit<ToolContext, 'callId' | 'environment' | 'logger' | 'approvals' | 'processes' | 'spillFile'>;

/** What of the agent a tool may see. */
function callerOf(prepared: PreparedCall, batch: BatchContext, maxResultCharacters: number, logger: Logger): Caller {
  const { sessionId, taskId, signal, interaction, state } = batch;
  // Called from inside a stream's events, where an exception would end the program.
  const progress = (text: string) => {
    try {
      batch.onProgress(prepared, text);
    } catch (thrown) {
      logger.warn('progress could not be shown', { error: errorMessage(thrown) });
    }
  };
  return { sessionId, taskId, signal, interaction, agent: state, maxResultCharacters, progress };
}

/** A batch of one call that only keeps its outcome. */
function agentlessBatch(signal: AbortSignal, contextLength: number | undefined, outcomes: ToolOutcome[]): BatchContext {
  const state: AgentToolState = { todos: [], approvedRules: new Set() };
  return {
    ...{ sessionId: '', taskId: '', signal, contextLength, interaction: NOBODY, state },
    onStarted() {},
    onProgress() {},
    async onResult(_prepared, outcome) {
      outcomes.push(outcome);
    },
  };
}

/** Keeps the order of registration: it is the order of the definitions, which providers cache. */
function registerTools(tools: readonly Tool[], logger: Logger): Map<string, Tool> {
  const registered = new Map<string, Tool>();
  for (const tool of tools) {
    if (registered.has(tool.name))
      logger.warn('two tools have the same name; the later one is used', { tool: tool.name });
    registered.set(tool.name, tool);
  }
  return registered;
}

function isAvailable(tool: Tool, logger: Logger): boolean {
  try {
    return tool.isAvailable?.() ?? true;
  } catch {
    logger.debug('a tool could not tell whether it is available', { tool: tool.name });
    return false;
  }
}
