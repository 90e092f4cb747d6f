import type { ApiMode, CacheTtl, ModelRequest } from '../contracts/index.ts';
import type { ModelQuirks } from './model-quirks.ts';

/** How many messages at the end carry a mark, and how many marks a request may have at most. */
const MARKED_MESSAGES = 3;
const MAX_MARKS = 4;

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

/**
 * Which of these get a mark: the last three that can carry one. Where other models answered since, the third one is of no
 * use, and its mark goes to what this model has read up to (`known`; below 0 where that is nothing).
 */
export function markedIndexes(count: number, canCarry: (index: number) => boolean, known = -1): number[] {
  const found = carriersBefore(count, canCarry, MARKED_MESSAGES);
  const [read] = carriersBefore(known + 1, canCarry, 1);
  const oldest = found[MARKED_MESSAGES - 1];
  return read === undefined || oldest === undefined || read >= oldest ? found : [...found.slice(0, -1), read];
}

function carriersBefore(end: number, canCarry: (index: number) => boolean, most: number): number[] {
  const found: number[] = [];
  for (let index = end - 1; index >= 0 && found.length < most; index -= 1) {
    if (canCarry(index)) found.push(index);
  }
  return found;
}

/** Whether a mark is left over: for the tools, which another system prompt may have as well. */
export function hasSpareMark(marks: number): boolean {
  return marks < MAX_MARKS;
}

/**
 * Puts the mark into an object that is text already, before the brackets at its end. Nothing is encoded anew, and where
 * the mark is taken out again the bytes are those of before.
 */
export function spliceMark(text: string, mark: string, closing = '}'): string {
  return `${text.slice(0, -closing.length)},${mark}${closing}`;
}

/** The mark in the last of these objects; nothing where there is none. */
export function withLastMarked(texts: readonly string[], mark: string): string[] {
  const last = texts.at(-1);
  return last === undefined ? [] : [...texts.slice(0, -1), spliceMark(last, mark)];
}
