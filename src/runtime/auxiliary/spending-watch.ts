import type { AuxiliarySpending, Spent } from '../../contracts/index.ts';

/** Who wants to know what was spent for which turn, and the way to tell them. */
export interface SpendingWatch extends AuxiliarySpending {
  tell(taskId: string, spent: Spent): void;
}

export function createSpendingWatch(): SpendingWatch {
  const followers = new Set<{ taskId: string; onSpent: (spent: Spent) => void }>();
  return {
    follow(taskId, onSpent) {
      const follower = { taskId, onSpent };
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    tell(taskId, spent) {
      for (const follower of followers) if (follower.taskId === taskId) follower.onSpent(spent);
    },
  };
}
