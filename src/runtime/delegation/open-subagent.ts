import type { Agent } from '../../agent/index.ts';
import type { RuntimeMemory } from '../memory/open-memory.ts';
import type { BuiltSubagent, DelegationParts, SubagentOptions } from './delegation-parts.ts';

/** The end reason of a subagent's session. */
const END_REASON = 'delegation';

/** A subagent has no memory: what is worth keeping is for its agent to say. */
export const NO_MEMORY: RuntimeMemory = {
  ...{ writer: undefined, turns: undefined, tools: [], flush: undefined },
  snapshot: async () => ({}),
  sessionEnded() {},
  close: async () => undefined,
};

/** `close` ends its session, lets go of its environment, and hands what it left running to its agent. */
export type OpenedSubagent = { agent: Agent; close(): Promise<void> };

/** An agent with a shell of its own, which goes with it. */
export async function openSubagent(parts: DelegationParts, options: SubagentOptions): Promise<OpenedSubagent> {
  const { environments, store, processes, build } = parts;
  const environment = await environments.open();
  let built: BuiltSubagent;
  try {
    built = build(options, environment);
  } catch (thrown) {
    await environments.release(environment);
    throw thrown;
  }
  const { agent, closeBrowser } = built;
  return {
    agent,
    async close() {
      // What still runs in the background would otherwise be nobody's.
      processes.continueSession(agent.sessionId, options.parentSessionId);
      await Promise.all([environments.release(environment), closeBrowser()]);
      const { sessionId } = agent;
      if ((await store.getSession(sessionId)) !== undefined) await store.endSession(sessionId, END_REASON);
    },
  };
}
