import type { FinishReason } from '../../base/index.ts';
import { SUMMARY_SYSTEM } from './prompt.ts';
import { countHeadings } from './sections.ts';

/** Below this an answer is not in the form that was asked for. */
const FEWEST_HEADINGS = 4;
/** A little over the limit is cut; far over it the model has lost its way. */
const MOST_OVERRUN = 1.6;
const REFUSAL = /\b(?:sorry|cannot|can't|can’t|unable|not able|won't|as an ai)\b/i;

export type SummaryAnswer = { text: string; finishReason: FinishReason };

/** Why an answer cannot stand for messages; undefined where it can. */
export function findFault(
  { text, finishReason }: SummaryAnswer,
  limit: number,
  tokensOf: (text: string) => number,
): string | undefined {
  if (repeatsItself(text)) return 'it repeats itself';
  if (tokensOf(text) > limit * MOST_OVERRUN) return 'it is longer than it may be';
  if (finishReason === 'length') return 'it was cut off';
  if (finishReason === 'content_filter') return 'it was withheld by a filter of the provider';
  if (returnsInstructions(text)) return 'it gives back its own instructions';
  if (countHeadings(text) >= FEWEST_HEADINGS) return undefined;
  return text.length < 1_000 && REFUSAL.test(text) ? 'it refuses' : 'it is not in the form that was asked for';
}

const INSTRUCTION_LINES = SUMMARY_SYSTEM.split('\n').filter((line) => line.length > 30 && !line.startsWith('#'));

function returnsInstructions(text: string): boolean {
  return INSTRUCTION_LINES.filter((line) => text.includes(line)).length >= 2;
}

const SHINGLE = 16;
const LEAST_LENGTH = 400;
const FEWEST_LINES = 6;

/** Whether most of it was said before in it, by lines or character by character. */
function repeatsItself(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim().length > 20);
  if (lines.length >= FEWEST_LINES && new Set(lines).size < lines.length * 0.6) return true;
  const dense = text.replace(/\s+/g, '');
  if (dense.length < LEAST_LENGTH) return false;
  const seen = new Set<string>();
  const total = dense.length - SHINGLE + 1;
  for (let start = 0; start < total; start += 1) seen.add(dense.slice(start, start + SHINGLE));
  // Paths in one folder have much in common; what goes round in circles has nearly everything.
  return seen.size < total * 0.3;
}
