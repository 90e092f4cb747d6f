import { failure } from './acp-failure.ts';
import type { Agent } from './agent.ts';
import type { AgentSession } from './agent-session.ts';

/** The agent for the next call. */
export type CurrentAgent = {
  get(): Agent;
  /** Cancels a call. An agent that does not react is ended, and until then no other call uses it. */
  cancel(agent: Agent, session: AgentSession): void;
};

/** How long an agent may take to cancel a call before it is ended. */
const CANCEL_GRACE_MS = 2000;

export function createCurrentAgent(start: () => Agent): CurrentAgent {
  let current: Agent | undefined;

  async function takeBack(agent: Agent, session: AgentSession, timer: NodeJS.Timeout): Promise<void> {
    await session.stopped();
    clearTimeout(timer);
    // The agent cancelled the call and can be used again, unless a new one was started meanwhile.
    if (current === undefined) current = agent;
    else if (current !== agent && agent.holders() === 0)
      agent.end(failure('connection', 'The command was replaced by a new process.'));
  }

  return {
    get() {
      if (!current?.usable()) current = start();
      return current;
    },
    cancel(agent, session) {
      const end = () => agent.end(failure('connection', 'The command did not cancel the call and was ended.'));
      const timer = setTimeout(end, CANCEL_GRACE_MS);
      // The timer need not keep Hermes running, because the command ends with this process anyway.
      timer.unref();
      if (current === agent) current = undefined;
      session.cancel().catch(() => undefined);
      void takeBack(agent, session, timer);
    },
  };
}
