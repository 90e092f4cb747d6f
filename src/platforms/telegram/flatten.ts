import type { Span, StyledText } from '../text/styled-text.ts';

const CODE: readonly string[] = ['code', 'block'];
const CUT_BY_CODE: readonly string[] = ['bold', 'italic', 'strike'];

/**
 * Removes what Telegram does not accept in the entities of a message: an entity inside another one of its kind,
 * anything inside code, code inside a link, and bold, italic or struck-through code.
 */
export function flatten({ text, spans }: StyledText): StyledText {
  const kept = keepAllowed(spans);
  const codes = kept.filter(({ style }) => CODE.includes(style.kind));
  const flat = kept.flatMap((span) => (CUT_BY_CODE.includes(span.style.kind) ? subtract(span, codes) : [span]));
  return { text, spans: flat };
}

/** The spans that may be where they are. Outer spans come before inner ones, so a stack has all outer ones. */
function keepAllowed(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  let around: Span[] = [];
  for (const span of spans) {
    around = around.filter(({ to }) => to > span.from);
    if (around.some((outer) => excludes(outer, span))) continue;
    kept.push(span);
    around.push(span);
  }
  return kept;
}

function excludes({ style: outer }: Span, { style: inner }: Span): boolean {
  if (outer.kind === inner.kind || CODE.includes(outer.kind)) return true;
  return outer.kind === 'link' && CODE.includes(inner.kind);
}

/** The parts of a span outside all of the others, which are sorted and do not overlap. */
function subtract({ from, to, style }: Span, others: readonly Span[]): Span[] {
  const parts: Span[] = [];
  let start = from;
  for (let index = firstAfter(others, from); index < others.length; index += 1) {
    const other = others[index] as Span;
    if (other.from >= to) break;
    if (other.from > start) parts.push({ from: start, to: other.from, style });
    start = other.to;
  }
  if (start < to) parts.push({ from: start, to, style });
  return parts;
}

/** The index of the first span that ends after a position. */
function firstAfter(spans: readonly Span[], position: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).to > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Telegram rejects a message with a link to an address that is not on the internet, such as `http://localhost:3000`.
 */
export function canLink(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !url.isWellFormed()) return false;
  return parsed.hostname.includes('.') && !/[\s\p{Cc}]/u.test(url);
}
