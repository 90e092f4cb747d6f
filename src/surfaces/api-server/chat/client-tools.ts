import { type Clock, HermesError } from '../../../base/index.ts';
import { builtInTools } from '../../../toolbox/index.ts';
import { createSchemaTool, type ToolSource } from '../../../tools/index.ts';
import { abortable } from '../../../util/index.ts';
import { CLIENT_TOOLSET, type TurnHost } from '../turns/turn-host.ts';
import type { ChatTool } from './chat-request.ts';
import { invalid } from '../read-fields.ts';

/** Calls of tools that the client runs. The turn waits until the client sends their results with its next request. */
export interface ClientCalls {
  /** The tools of a client, for its agent. */
  sourceOf(tools: readonly ChatTool[]): ToolSource;
  /** Passes the result of a call of a turn on. */
  answer(turnId: string, callId: string, result: string): void;
  /** Forgets the calls of a turn that has ended. */
  forget(turnId: string): void;
}

/** How long a turn waits for a client that runs its tools. */
const CLIENT_TOOL_MS = 5 * 60_000;

export type ClientWait = { clock: Clock; turns: Pick<TurnHost, 'closing' | 'locks'>; sessionKeys: readonly string[] };

/**
 * Calls `end` if the results of a client do not come in time, if another request needs the session, or if the server
 * stops, until the returned function is called.
 */
export function limitWait({ clock, turns, sessionKeys }: ClientWait, end: (reason: HermesError) => void): () => void {
  const done = new AbortController();
  const { signal } = done;
  const stop = (reason: string) => end(new HermesError(reason));
  clock.sleep(CLIENT_TOOL_MS, signal).then(
    () => stop('the client did not send the results of its tools'),
    () => undefined,
  );
  const release = turns.locks.giveWay(sessionKeys, () => stop('the client continued without the results of its tools'));
  const onClosing = () => stop('the server stops');
  if (turns.closing.aborted) onClosing();
  else turns.closing.addEventListener('abort', onClosing, { once: true, signal });
  return () => {
    done.abort();
    release();
  };
}

/** A model could not tell two tools of the same name apart. `fieldOf` names the name of a tool in errors. */
export function requireOwnNames(tools: readonly ChatTool[], fieldOf: (index: number) => string): readonly ChatTool[] {
  const known = new Set(builtInTools().map(({ name }) => name));
  for (const [index, { name }] of tools.entries()) {
    if (known.has(name)) throw invalid(fieldOf(index), `is the name of another tool: ${name}`);
    known.add(name);
  }
  return tools;
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
