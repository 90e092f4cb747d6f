import { cleanSurrogates } from '../util/index.ts';
import { withoutRecallBlocks } from './recall-block.ts';

/** What a user types or pastes, fit for history: no broken characters, no recalled memory that leaked into a copy. */
export function cleanInput(text: string): string {
  return withoutRecallBlocks(cleanSurrogates(text));
}
