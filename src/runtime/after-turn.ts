import type { FinishedTurn } from '../agent/index.ts';
import { errorMessage } from '../base/index.ts';
import type { ToolSet, TurnMemory } from '../contracts/index.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import type { Services } from './services.ts';

/**
 * Background work after a turn: the memory provider learns from it, it is saved as a trajectory, the session gets a
 * title, and a review checks whether something should be remembered.
 */
export type AfterTurnWork = 'learn' | 'trajectory' | 'title' | 'review';

const ATTENDED: readonly AfterTurnWork[] = ['learn', 'trajectory', 'title', 'review'];
const UNATTENDED: readonly AfterTurnWork[] = ['learn', 'trajectory'];

/** Starts the after-turn work of an agent. Nothing waits for it, and it cannot change how the turn ended. */
export function createAfterTurn(
  services: Services,
  blueprint: AgentBlueprint,
  { memory, tools }: { memory: TurnMemory | undefined; tools: ToolSet },
): (turn: FinishedTurn) => void {
  const start: Record<AfterTurnWork, (turn: FinishedTurn) => void> = {
    learn: ({ result: { sessionId, finalResponse: answer, completed }, userMessage }) =>
      memory?.learn({ sessionId, userMessage, answer, completed }),
    trajectory: ({ result }) =>
      services.trajectories.save(result, {
        store: services.leasedStore,
        tools,
        workingDirectory: blueprint.workingDirectory,
      }),
    title: ({ result }) => services.titles.begin(result, blueprint),
    review: ({ result }) => services.reviews.begin(result, blueprint),
  };
  return (turn) => {
    for (const work of workAfter(blueprint)) {
      try {
        start[work](turn);
      } catch (thrown) {
        const { sessionId } = turn.result;
        services.logger.warn('could not start after-turn work', { sessionId, work, reason: errorMessage(thrown) });
      }
    }
  };
}

/** The policy for all surfaces. A subagent does not talk to a user, so it has no after-turn work. */
function workAfter({ afterTurn, attended, subagent }: AgentBlueprint): readonly AfterTurnWork[] {
  if (subagent !== undefined) return [];
  return afterTurn ?? (attended ? ATTENDED : UNATTENDED);
}
