import type { Clock } from '../../base/index.ts';
import type { AuxiliaryModels, AuxiliarySpending, Logger, SessionStore, Spent } from '../../contracts/index.ts';
import type { ServicesOptions } from '../services.ts';

/** The auxiliary models, loaded with the first request. */
export function openAuxiliary(
  { settings, auxiliaryRoutes: routes }: Pick<ServicesOptions, 'settings' | 'auxiliaryRoutes'>,
  shared: { store: SessionStore; spending?: SpendingTracker; logger: Logger; clock: Clock },
): AuxiliaryModels | undefined {
  if (routes === undefined) return undefined;
  let opening: Promise<AuxiliaryModels> | undefined;
  const open = async () => {
    const { createAuxiliaryModels } = await import('./auxiliary-models.ts');
    return createAuxiliaryModels({ settings, routes, ...shared });
  };
  return {
    async ask(task, request) {
      opening ??= open();
      return (await opening).ask(task, request);
    },
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
