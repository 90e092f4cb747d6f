import type { ApiMode, CacheTtl, ModelRequest } from '../contracts/index.ts';
import type { ModelQuirks } from './model-quirks.ts';

/** How many messages at the end carry a mark, and how many marks a request may have at most. */
const MARKED_MESSAGES = 3;
const MOST_MARKS = 4;

export type MarkChoice = { apiMode: ApiMode; model: string; quirks?: ModelQuirks; cacheTtl?: CacheTtl };

/** How long what is marked is to be kept; undefined where an endpoint is sent no marks for this model. */
export function cacheTtlOf({ apiMode, model, quirks, cacheTtl = '5m' }: MarkChoice): CacheTtl | undefined {
  const isAnthropic = apiMode === 'anthropic_messages';
  const family = quirks?.cacheMarks ?? (isAnthropic ? 'claude' : false);
  if (!family || !(isAnthropic || apiMode === 'chat_completions')) return undefined;
  if (!model.toLowerCase().includes(family)) return undefined;
  return quirks?.shortCacheOnly ? '5m' : cacheTtl;
}

/** The field that makes a mark of the object it stands in; five minutes are what a provider takes for granted. */
export function markText(ttl: CacheTtl): string {
  return ttl === '5m' ? '"cache_control":{"type":"ephemeral"}' : '"cache_control":{"type":"ephemeral","ttl":"1h"}';
}

/** The mark for a request; none where it is asked once and never again, since keeping costs more than reading. */
export function markFor({ cacheKey }: ModelRequest, mark: string | undefined): string | undefined {
  return cacheKey === undefined ? undefined : mark;
}

/** Which of these get a mark: the last three that can carry one. */
export function markedIndexes(count: number, canCarry: (index: number) => boolean): number[] {
  const found: number[] = [];
  for (let index = count - 1; index >= 0 && found.length < MARKED_MESSAGES; index -= 1) {
    if (canCarry(index)) found.push(index);
  }
  return found;
}

/** Whether a mark is left over: for the tools, which another system prompt may have as well. */
export function hasSpareMark(marks: number): boolean {
  return marks < MOST_MARKS;
}

/**
 * Puts the mark into an object that is text already, before the brackets at its end. Nothing is encoded anew, and where
 * the mark is taken out again the bytes are those of before.
 */
export function spliceMark(text: string, mark: string, closing = '}'): string {
  return `${text.slice(0, -closing.length)},${mark}${closing}`;
}
