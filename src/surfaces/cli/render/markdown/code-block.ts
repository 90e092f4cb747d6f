import { type Cell, toCells } from '../cells.ts';
import { type HighlightLine, type HighlightContext, NO_CONTEXT } from '../highlight/highlighter.ts';
import { emptyLine, endLine, type LineWrap, wrapCells, type WrapOptions } from '../wrap.ts';
import { isHighSurrogate } from './segments.ts';

/** Longer lines are data rather than code: they are drawn in pieces of this length, without colours. */
export const MAX_CODE_LINE_LENGTH = 2000;

export type CodeBlock = {
  kind: 'code';
  /** The opening fence; the closing one must match it. */
  marks: string;
  indent: number;
  colour: HighlightLine | undefined;
  context: HighlightContext;
  /** The pending rest of a line that is too long to buffer. */
  long: string;
  line: LineWrap;
};

/** Code is indented, without a border at the side, so that it can be copied. */
export const CODE_INDENT: Cell[] = toCells('  ');

export function openCode(marks: string, indent: number, colour: HighlightLine | undefined): CodeBlock {
  return { kind: 'code', marks, indent, colour, context: NO_CONTEXT, long: '', line: emptyLine() };
}

export function drawCodeLine(block: CodeBlock, text: string, options: WrapOptions): void {
  wrapCells(block.line, colouredCells(block, text), options);
  if (block.line.cells.length > 0) endLine(block.line, options);
  else options.emit([]);
}

function colouredCells(block: CodeBlock, text: string): Cell[] {
  if (block.colour === undefined) return toCells(text);
  const { runs, context } = block.colour(text, block.context);
  block.context = context;
  return runs.flatMap((run) => toCells(run.text, run.roles));
}

/** Adds to a very long line. It is split into pieces of equal length, independent of the deltas. */
export function addLongCode(block: CodeBlock, text: string, options: WrapOptions): void {
  block.long += text;
  let from = 0;
  while (block.long.length - from > MAX_CODE_LINE_LENGTH) {
    const most = from + MAX_CODE_LINE_LENGTH;
    const end = isHighSurrogate(block.long.charCodeAt(most - 1)) ? most - 1 : most;
    wrapCells(block.line, toCells(block.long.slice(from, end)), options);
    from = end;
  }
  block.long = block.long.slice(from);
}

export function endLongCode(block: CodeBlock, options: WrapOptions): void {
  wrapCells(block.line, toCells(block.long), options);
  endLine(block.line, options);
  block.long = '';
  // The line was not highlighted, so the constructs it left open are unknown.
  block.context = NO_CONTEXT;
}
