import { failure } from './acp-failure.ts';
import type { Agent } from './agent.ts';
import type { AgentSession } from './agent-session.ts';

/** The agent that the next call uses. */
export type CurrentAgent = {
  take(): Agent;
  /** Asks an agent to stop answering; one that does not obey is ended. Until then no call gets it. */
  giveUp(agent: Agent, session: AgentSession): void;
};

/** How long an agent may take to obey before it is ended. */
const CANCEL_GRACE_MS = 2000;

export function createCurrentAgent(start: () => Agent): CurrentAgent {
  let current: Agent | undefined;

  async function takeBack(agent: Agent, session: AgentSession, timer: NodeJS.Timeout): Promise<void> {
    await session.stopped();
    clearTimeout(timer);
    // It obeyed, and is as good as before, unless another one has taken its place.
    if (current === undefined) current = agent;
    else if (current !== agent && agent.holders() === 0) agent.end(failure('connection', 'It was replaced.'));
  }

  return {
    take() {
      if (!current?.usable()) current = start();
      return current;
    },
    giveUp(agent, session) {
      const end = () => agent.end(failure('connection', 'The command did not stop when it was told to.'));
      const timer = setTimeout(end, CANCEL_GRACE_MS);
      // A program that ends takes the command with it anyway.
      timer.unref();
      if (current === agent) current = undefined;
      session.cancel().catch(() => undefined);
      void takeBack(agent, session, timer);
    },
  };
}
