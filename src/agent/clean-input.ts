import { cleanSurrogates } from '../util/index.ts';

const MEMORY_CONTEXT = /<memory-context>[\s\S]*?<\/memory-context>\s*/gi;

/** What a user types or pastes, fit for history: no broken characters, no recalled memory that leaked into a copy. */
export function cleanInput(text: string): string {
  return cleanSurrogates(text).replace(MEMORY_CONTEXT, '');
}
