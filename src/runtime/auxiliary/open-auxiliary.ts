import type { Clock } from '../../base/index.ts';
import type {
  AuxiliaryModels,
  AuxiliaryRoutes,
  AuxiliarySpending,
  Logger,
  SessionStore,
  Spent,
} from '../../contracts/index.ts';
import type { ServicesOptions } from '../services.ts';
import type { SessionState } from '../session-states.ts';

/** Auxiliary models that follow the model of each session. */
export interface SessionAuxiliary extends AuxiliaryModels, Required<SessionState> {
  /**
   * Uses these routes for the requests of a session, because the user chose another model for it; without a session,
   * for all sessions that have no routes of their own.
   */
  useRoutes(sessionId: string | undefined, routes: AuxiliaryRoutes): void;
}

/** The auxiliary models, loaded with the first request. */
export function openAuxiliary(
  { settings, auxiliaryRoutes: routes }: Pick<ServicesOptions, 'settings' | 'auxiliaryRoutes'>,
  shared: { store: SessionStore; spending?: SpendingTracker; logger: Logger; clock: Clock },
): SessionAuxiliary | undefined {
  if (routes === undefined) return undefined;
  const chosen = new Map<string, AuxiliaryRoutes>();
  let common = routes;
  const routesOf = (sessionId = '') => chosen.get(sessionId) ?? common;
  let opening: Promise<AuxiliaryModels> | undefined;
  const open = async () => {
    const { createAuxiliaryModels } = await import('./auxiliary-models.ts');
    return createAuxiliaryModels({ settings, routesOf, ...shared });
  };
  return {
    async ask(task, request) {
      opening ??= open();
      return (await opening).ask(task, request);
    },
    useRoutes(sessionId, others) {
      if (sessionId === undefined) common = others;
      else chosen.set(sessionId, others);
    },
    continueSession(parentId, childId) {
      const others = chosen.get(parentId);
      if (others !== undefined) chosen.set(childId, others);
      chosen.delete(parentId);
    },
    forget: (sessionId) => void chosen.delete(sessionId),
  };
}

/** Reports the cost of auxiliary calls to the turns that subscribed to it. */
export interface SpendingTracker extends AuxiliarySpending {
  report(taskId: string, spent: Spent): void;
}

export function createSpendingTracker(): SpendingTracker {
  const followers = new Set<{ taskId: string; onSpent: (spent: Spent) => void }>();
  return {
    follow(taskId, onSpent) {
      const follower = { taskId, onSpent };
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    report(taskId, spent) {
      for (const follower of followers) if (follower.taskId === taskId) follower.onSpent(spent);
    },
  };
}
