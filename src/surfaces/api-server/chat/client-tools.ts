import { createSchemaTool, type ToolSource } from '../../../tools/index.ts';
import { abortable } from '../../../util/index.ts';
import { CLIENT_TOOLSET } from '../turns/turn-host.ts';
import type { ChatTool } from './chat-request.ts';

/** Calls of tools that the client runs. The turn waits until the client sends their results with its next request. */
export interface ClientCalls {
  /** The tools of a client, for its agent. */
  sourceOf(tools: readonly ChatTool[]): ToolSource;
  /** Passes the result of a call of a turn on. */
  answer(turnId: string, callId: string, result: string): void;
  /** Forgets the calls of a turn that has ended. */
  forget(turnId: string): void;
}

export function createClientCalls(): ClientCalls {
  const turns = new Map<string, Map<string, PromiseWithResolvers<string>>>();

  /** Either side may come first. */
  function callOf(turnId: string, callId: string): PromiseWithResolvers<string> {
    const calls = turns.get(turnId) ?? new Map<string, PromiseWithResolvers<string>>();
    turns.set(turnId, calls);
    const call = calls.get(callId) ?? Promise.withResolvers<string>();
    calls.set(callId, call);
    return call;
  }

  return {
    sourceOf: (tools) => {
      const made = tools.map(({ name, description, parameters }) =>
        createSchemaTool({
          name,
          description,
          parameters,
          toolset: CLIENT_TOOLSET,
          outsideText: true,
          concurrency: { mode: 'parallel' },
          run: (_, { taskId, callId, signal }) => abortable(callOf(taskId, callId).promise, signal),
        }),
      );
      return { name: 'client', kind: 'plugin', isDormant: true, tools: () => made };
    },
    answer: (turnId, callId, result) => callOf(turnId, callId).resolve(result),
    forget: (turnId) => void turns.delete(turnId),
  };
}
