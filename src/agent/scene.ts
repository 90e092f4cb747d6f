import type { TurnState } from './turn-state.ts';
import type { Turn } from './turn.ts';

/** What compression works on: a turn, or a session between two of them. */
export type Scene = Pick<Turn, 'options' | 'clock' | 'logger' | 'session' | 'routes' | 'taskId' | 'signal' | 'emit'> & {
  readonly state: Pick<TurnState, 'definitions'>;
};
