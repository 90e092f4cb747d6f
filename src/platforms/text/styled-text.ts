/** How a part of a text looks. */
export type Style =
  | { kind: 'bold' | 'italic' | 'strike' | 'code' | 'quote' }
  | { kind: 'block'; language?: string }
  | { kind: 'link'; url: string };

/** The characters from `from` up to, but not including, `to`. Spans are nested or apart, never crossed. */
export type Span = { from: number; to: number; style: Style };

/**
 * Text with formatting, as all platforms understand it: plain text, and which parts of it look different. Outer spans
 * come before inner ones. A part of it is valid again, so a long answer can be split anywhere.
 */
export type StyledText = { text: string; spans: readonly Span[] };

export const plain = (text: string): StyledText => ({ text, spans: [] });

/** A part of a styled text; spans that cross its ends are shortened. */
export function sliceStyled({ text, spans }: StyledText, from: number, to: number): StyledText {
  const inside = spans.flatMap((span) => {
    const [start, end] = [Math.max(span.from, from), Math.min(span.to, to)];
    return start < end ? [{ from: start - from, to: end - from, style: span.style }] : [];
  });
  return { text: text.slice(from, to), spans: inside };
}

/** Adds the text of several parts to one. */
export class StyledWriter {
  #text = '';
  readonly #spans: Span[] = [];

  get length(): number {
    return this.#text.length;
  }

  /** Adds a part with a style around it. */
  add({ text, spans }: StyledText, style?: Style): void {
    const from = this.#text.length;
    this.#text += text;
    if (style !== undefined && text !== '') this.#spans.push({ from, to: this.#text.length, style });
    for (const span of spans) this.#spans.push({ from: span.from + from, to: span.to + from, style: span.style });
  }

  finish(): StyledText {
    return { text: this.#text, spans: this.#spans };
  }
}

/** Calls back for each stretch of text between the ends of spans, with the styles around it, outermost first. */
export function forEachRun({ text, spans }: StyledText, visit: (run: string, styles: readonly Style[]) => void): void {
  const edges = new Set([0, text.length, ...spans.flatMap(({ from, to }) => [from, to])]);
  const sorted = [...edges].sort((a, b) => a - b);
  const starting = [...spans].sort((a, b) => a.from - b.from);
  let [around, next]: [Span[], number] = [[], 0];
  for (const [index, from] of sorted.entries()) {
    const to = sorted[index + 1];
    if (to === undefined) return;
    around = around.filter((span) => span.to > from);
    for (; starting[next] !== undefined && (starting[next] as Span).from <= from; next += 1) {
      around.push(starting[next] as Span);
    }
    visit(
      text.slice(from, to),
      around.map(({ style }) => style),
    );
  }
}

/** Replaces links that a platform does not accept: their addresses become part of the text. */
export function writeOutLinks(whole: StyledText, canLink: (url: string) => boolean): StyledText {
  const unlinkable = new Set(whole.spans.filter(({ style }) => style.kind === 'link' && !canLink(style.url)));
  if (unlinkable.size === 0) return whole;
  const without = { text: whole.text, spans: whole.spans.filter((span) => !unlinkable.has(span)) };
  const writer = new StyledWriter();
  let end = 0;
  for (const { to, from, style } of unlinkable) {
    if (to <= end) continue;
    writer.add(sliceStyled(without, end, to));
    if (style.kind === 'link' && whole.text.slice(from, to) !== style.url) writer.add(plain(` (${style.url})`));
    end = to;
  }
  writer.add(sliceStyled(without, end, whole.text.length));
  return writer.finish();
}
