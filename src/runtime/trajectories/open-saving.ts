import type { RunResult } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { Logger, SessionStore, ToolSet } from '../../contracts/index.ts';
import type { ServicesOptions } from '../services.ts';

/** Saves the turns of agents as trajectories for training. */
export interface TrajectorySaving {
  /** Saves a finished turn in the background. */
  save(turn: SavedTurn, agent: SavedAgent): void;
  /** Messages for the user; each is returned once. */
  drainMessages(): string[];
  /** Resolves when all finished turns are written. */
  settled(): Promise<void>;
}

export type SavedTurn = Pick<RunResult, 'sessionId' | 'taskId' | 'exitReason'>;

/** Where the agent's turns are stored, and the tools of its model. */
export type SavedAgent = { store: SessionStore; tools: ToolSet; workingDirectory: string };

export type SavingOptions = Pick<
  ServicesOptions,
  'settings' | 'saveTrajectories' | 'trajectoryFile' | 'trajectoryFolder'
>;

const DISABLED: TrajectorySaving = {
  save: () => undefined,
  drainMessages: () => [],
  settled: () => Promise.resolve(),
};

/** Nothing is loaded if saving is disabled. An invalid template makes startup fail. */
export async function openSaving(options: SavingOptions, logger: Logger): Promise<TrajectorySaving> {
  if (!isWanted(options, options.settings)) return DISABLED;
  const { createTurnSaving } = await import('./turn-saving.ts');
  return createTurnSaving(options, logger);
}

function isWanted({ saveTrajectories, trajectoryFile }: SavingOptions, { trajectories }: Settings): boolean {
  return saveTrajectories ?? (trajectoryFile !== undefined || (trajectories?.enabled ?? false));
}
