import type { Span } from './find-term.ts';
import { hasScript } from './text.ts';

export type Match = Span & { term: number };

const MAX_SPACE = 260;
const SPACE_BEFORE = 80;
/** A character of unspaced script counts as three letters. */
const SCRIPT_SPACE = 3;
const NEAR = 240;
const MAX_WORD_LENGTH = 30;

/** About forty words around the place where most of the terms occur together, with matches as >>>match<<<. */
export function makeSnippet(text: string, matches: readonly Match[]): string {
  const sorted = matches.toSorted((a, b) => a.start - b.start);
  const best = sorted[findDensest(sorted)];
  const start = best === undefined ? 0 : extendBackward(text, best.start);
  const end = extendForward(text, start, best?.end ?? 0);
  const marked = mark(
    text,
    { start, end },
    sorted.filter((match) => match.start >= start && match.end <= end),
  );
  return `${start > 0 ? '…' : ''}${marked}${end < text.length ? '…' : ''}`;
}

/** The index of the match that is followed by the most different terms nearby. */
function findDensest(matches: readonly Match[]): number {
  let [best, most] = [0, 0];
  for (const [index, { start }] of matches.entries()) {
    const near = new Set<number>();
    for (let other = index; other < matches.length; other += 1) {
      const match = matches[other];
      if (match === undefined || match.start > start + NEAR) break;
      near.add(match.term);
    }
    if (near.size > most) [best, most] = [index, near.size];
  }
  return best;
}

function extendBackward(text: string, from: number): number {
  let [index, space] = [from, 0];
  while (index > 0 && space < SPACE_BEFORE) {
    index -= 1;
    space += spaceOf(text, index);
  }
  if (index === 0) return 0;
  // Cuts between words if there is a space nearby, and never inside a surrogate pair.
  const gap = text.slice(index, Math.min(from, index + MAX_WORD_LENGTH)).search(/\s/);
  if (gap >= 0) return index + gap + 1;
  return isLowSurrogate(text, index) ? index + 1 : index;
}

function extendForward(text: string, start: number, atLeast: number): number {
  let [index, space] = [start, 0];
  while (index < text.length && (space < MAX_SPACE || index < atLeast)) {
    space += spaceOf(text, index);
    index += 1;
  }
  if (index >= text.length) return text.length;
  const floor = Math.max(atLeast, index - MAX_WORD_LENGTH);
  const gap = text.slice(floor, index).search(/\s\S*$/);
  if (gap >= 0) return floor + gap;
  return isLowSurrogate(text, index) ? index - 1 : index;
}

function spaceOf(text: string, index: number): number {
  return text.charCodeAt(index) > 0xdff && hasScript(text.charAt(index)) ? SCRIPT_SPACE : 1;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Inserts the markers; overlapping matches share one pair. */
function mark(text: string, { start, end }: Span, matches: readonly Match[]): string {
  let [marked, index] = ['', start];
  for (const span of mergeSpans(matches)) {
    marked += `${text.slice(index, span.start)}>>>${text.slice(span.start, span.end)}<<<`;
    index = span.end;
  }
  return marked + text.slice(index, end);
}

function mergeSpans(sorted: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { start, end } of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
