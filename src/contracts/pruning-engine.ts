import type { Message } from '../base/index.ts';

/** Keeps a conversation inside the model's window. Works on copies: what is stored never changes. */
export interface PruningEngine {
  readonly name: string;
  /**
   * A smaller copy of the history for the model. `attempt` counts from 1 and allows harsher cuts each time; undefined
   * where nothing more can be saved.
   */
  reduce(messages: readonly Message[], attempt: number): ContextReduction | undefined;
}

/** A cut that can be made again on a longer history: messages before `boundary` are replaced by `reduced`. */
export type ContextReduction = {
  boundary: number;
  reduced: readonly Message[];
};
