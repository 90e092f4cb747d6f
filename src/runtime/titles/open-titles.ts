import type { RunResult } from '../../base/index.ts';
import type { AuxiliaryModels, Logger, SessionStore } from '../../contracts/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import type { SessionState } from '../session-states.ts';
import type { TitleMaker, TitleMakerOptions } from './title-maker.ts';

/** Gives sessions a title in the background. */
export interface Titles extends Required<SessionState> {
  /**
   * Returns immediately. Does nothing for a session that has a title or was already tried. The agent may be closed in
   * the meantime.
   */
  begin(result: RunResult, blueprint: Pick<AgentBlueprint, 'settings'>): void;
  /** Aborts running requests; resolves when nothing more will be written. */
  stop(): Promise<void>;
}

/** Nothing is loaded before the first turn has ended, or at all if titles are disabled. */
export function openTitles(
  auxiliary: AuxiliaryModels | undefined,
  { store, logger, onTitle }: { store: SessionStore; logger: Logger; onTitle?: TitleMakerOptions['onTitle'] },
): Titles {
  let opening: Promise<TitleMaker> | undefined;
  const open = async (models: AuxiliaryModels) => {
    const { createTitleMaker } = await import('./title-maker.ts');
    return createTitleMaker({ store, auxiliary: models, logger, onTitle });
  };
  const forget = (sessionId: string) => void opening?.then((maker) => maker.forget(sessionId));
  return {
    begin(result, { settings }) {
      const wanted = settings.auxiliary.title_generation?.enabled !== false;
      if (auxiliary === undefined || !wanted) return;
      opening ??= open(auxiliary);
      void opening.then((maker) => maker.begin(result));
    },
    forget,
    continueSession: forget,
    stop: async () => (await opening)?.stop(),
  };
}
