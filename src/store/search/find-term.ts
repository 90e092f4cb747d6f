import type { SearchNode, SearchTerm, TermPart } from '../search-query.ts';
import { isWordAt } from './text.ts';

/** A range in a text; `end` is exclusive. */
export type Span = { start: number; end: number };

/** The first `limit` matches of a term in a folded text. */
export function findTerm(text: string, term: SearchTerm, limit: number): Span[] {
  const spans: Span[] = [];
  const [first] = term.parts;
  if (first === undefined) return spans;
  let from = 0;
  while (spans.length < limit) {
    const start = text.indexOf(first.folded, from);
    if (start < 0) break;
    const end = matchAt(text, start, term);
    if (end !== undefined) spans.push({ start, end });
    from = end ?? start + 1;
  }
  return spans;
}

/** Whether a folded text matches a query. */
export function matchesQuery(text: string, node: SearchNode): boolean {
  switch (node.kind) {
    case 'term':
      return findTerm(text, node.term, 1).length > 0;
    case 'and':
      return node.nodes.every((inner) => matchesQuery(text, inner));
    case 'or':
      return node.nodes.some((inner) => matchesQuery(text, inner));
    case 'not':
      return matchesQuery(text, node.node) && !matchesQuery(text, node.without);
  }
}

/** The end of a match that starts at this position; undefined if the term does not match here. */
function matchAt(text: string, start: number, term: SearchTerm): number | undefined {
  const { parts, prefix, forms } = term;
  let end = start;
  for (const [index, part] of parts.entries()) {
    if (index > 0) end = nextRun(text, end);
    if (!text.startsWith(part.folded, end) || !startsAtWord(text, end, part)) return undefined;
    end += part.folded.length;
    if (part.kind === 'script' || !isWordAt(text, end)) continue;
    // A longer word is a different word, unless the last part is a prefix.
    if (!prefix || index < parts.length - 1) return undefined;
    while (isWordAt(text, end)) end += 1;
  }
  return forms === undefined || forms.accepts(text.slice(start, end)) ? end : undefined;
}

function startsAtWord(text: string, start: number, part: TermPart): boolean {
  return part.kind === 'script' || start === 0 || !isWordAt(text, start - 1);
}

const MAX_GAP = 64;
const SEPARATOR = /^[^\p{L}\p{N}\p{Co}]$/u;

// Only separators may stand between the parts of a phrase.
function nextRun(text: string, from: number): number {
  let index = from;
  while (index < text.length && index - from < MAX_GAP && isSeparator(text, index)) index += 1;
  return index;
}

function isSeparator(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return !isWordAt(text, index);
  return SEPARATOR.test(text.charAt(index)) && !(unit >= 0xd800 && unit <= 0xdfff);
}
