/** The part of a line that was changed, by places in its text. */
export type Changed = { start: number; end: number };

const WORD = /[\p{L}\p{N}_]/u;

/**
 * What differs between a line and the one that took its place, as whole words. Undefined where that is most of both: then
 * it is another line, and marking it would say nothing.
 */
export function changedWords(before: string, after: string): { before: Changed; after: Changed } | undefined {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  while (start > 0 && (isWithinWord(before, start) || isWithinWord(after, start))) start -= 1;
  while (end > 0 && (isWithinWord(before, before.length - end) || isWithinWord(after, after.length - end))) end -= 1;
  const indent = /^\s*/.exec(before)?.[0].length ?? 0;
  const kept = Math.max(0, start - indent) + end;
  if (kept * 3 < Math.max(before.length, after.length) - indent) return undefined;
  return { before: { start, end: before.length - end }, after: { start, end: after.length - end } };
}

function isWithinWord(text: string, at: number): boolean {
  return WORD.test(text[at - 1] ?? '') && WORD.test(text[at] ?? '');
}
