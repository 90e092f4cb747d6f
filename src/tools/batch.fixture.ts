import type { JsonObject, ToolCall } from '../base/index.ts';
import type { BatchContext, Environment, PreparedCall, ToolOutcome, ToolSet } from '../contracts/index.ts';

/** An environment that supports nothing, for tools that need none. Paths are not resolved. */
export const noEnvironment: Environment = {
  name: 'none',
  workingDirectory: '/project',
  shell: '/bin/sh',
  system: 'none',
  location: 'nowhere',
  isolated: false,
  currentDirectory: () => '/project',
  start: () => Promise.reject(new Error('no commands here')),
  findProcess: async () => undefined,
  close: async () => undefined,
  run: () => Promise.reject(new Error('no commands here')),
  readFile: () => Promise.reject(new Error('no files here')),
  writeFile: () => Promise.reject(new Error('no files here')),
  removeFile: () => Promise.reject(new Error('no files here')),
  stat: async () => undefined,
  list: async () => [],
  resolvePath: async (path) => (path.startsWith('/') ? path : `/project/${path}`),
};

export type Delivered = { id: string; outcome: ToolOutcome; prepared: PreparedCall };
export type Recorded = BatchContext & { started: string[]; delivered: Delivered[]; progress: string[] };

/** A batch context that records its callbacks. */
export function recordedContext(changes: Partial<BatchContext> = {}): Recorded {
  const started: string[] = [];
  const delivered: Delivered[] = [];
  const progress: string[] = [];
  return {
    sessionId: 'session',
    taskId: 'task',
    signal: new AbortController().signal,
    contextLength: undefined,
    interaction: { approve: async () => 'deny', clarify: async () => undefined },
    state: { todos: [], approvedRules: new Set() },
    onStarted: (prepared) => started.push(prepared.call.id),
    onProgress: (_prepared, text) => progress.push(text),
    async onResult(prepared, outcome) {
      delivered.push({ id: prepared.call.id, outcome, prepared });
    },
    started,
    delivered,
    progress,
    ...changes,
  };
}

export function call(id: string, name: string, args: JsonObject | string = {}): ToolCall {
  return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

/** Prepares and runs calls, and returns the results in the order of delivery. */
export async function runCalls(toolSet: ToolSet, calls: readonly ToolCall[], context = recordedContext()) {
  await toolSet.run(await toolSet.prepare(calls), context);
  return context.delivered;
}
