import type { RunResult } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { Logger, SessionStore, ToolSet } from '../../contracts/index.ts';
import type { ServicesOptions } from '../services.ts';

/** Writes the turns of agents down for training. */
export interface TrajectorySaving {
  /** Saves a turn that has ended; nobody waits for it. */
  save(turn: SavedTurn, agent: SavedAgent): void;
  /** What the person should hear, once. */
  news(): string[];
  /** All turns that have ended are written. */
  settled(): Promise<void>;
}

export type SavedTurn = Pick<RunResult, 'sessionId' | 'taskId' | 'exitReason'>;

/** Where its turns are stored, and the tools of its model. */
export type SavedAgent = { store: SessionStore; tools: ToolSet; workingDirectory: string };

export type SavingOptions = Pick<
  ServicesOptions,
  'settings' | 'saveTrajectories' | 'trajectoryFile' | 'trajectoryFolder'
>;

const NOT_WANTED: TrajectorySaving = {
  save: () => undefined,
  news: () => [],
  settled: () => Promise.resolve(),
};

/** Nothing is loaded where nobody wants it. A template that cannot be used ends the start. */
export async function openSaving(options: SavingOptions, logger: Logger): Promise<TrajectorySaving> {
  if (!isWanted(options, options.settings)) return NOT_WANTED;
  const { createTurnSaving } = await import('./turn-saving.ts');
  return createTurnSaving(options, logger);
}

function isWanted({ saveTrajectories, trajectoryFile }: SavingOptions, { trajectories }: Settings): boolean {
  return saveTrajectories ?? (trajectoryFile !== undefined || (trajectories?.saves ?? false));
}
