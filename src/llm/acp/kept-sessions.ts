import type { ModelAnswer } from '../../contracts/index.ts';
import type { Agent } from './agent.ts';
import type { AgentSession } from './agent-session.ts';
import { headingStart, type Prompt, renderAnswer } from './render-prompt.ts';

/** A session of the agent and all that was said in it, as a later prompt would begin. */
export type KeptSession = { agent: Agent; session: AgentSession; effort: string | undefined; text: string };

/** Sessions that a later call may go on in. */
export type KeptSessions = {
  /** The one that this prompt continues; nobody else gets it until it is kept again. */
  take(agent: Agent, prompt: Prompt, effort: string | undefined): KeptSession | undefined;
  keep(place: KeptSession, prompt: Prompt, answer: ModelAnswer): void;
};

/** The conversation itself, and one or two beside it that ask something of their own. */
const MOST_KEPT = 3;

/**
 * The history that we keep is the one that counts. A session of the agent is only gone on with where its own memory is
 * exactly the beginning of that history; anything else gets a new session and the whole text.
 */
export function createKeptSessions(): KeptSessions {
  let kept: KeptSession[] = [];
  return {
    take(agent, prompt, effort) {
      kept = kept.filter((place) => place.agent.usable());
      const fits = (place: KeptSession) =>
        place.agent === agent &&
        place.effort === effort &&
        prompt.text.startsWith(place.text + headingStart(prompt.mark));
      const found = kept.find(fits);
      kept = kept.filter((place) => place !== found);
      return found;
    },
    keep(place, prompt, { text, toolCalls }) {
      const whole = prompt.text + renderAnswer({ content: text, toolCalls }, prompt.mark);
      kept.push({ ...place, text: whole });
      for (const left of kept.splice(0, kept.length - MOST_KEPT)) left.session.end();
    },
  };
}
