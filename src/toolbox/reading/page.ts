import { takeStart } from '../../util/index.ts';
import { ToolFailure } from '../../tools/index.ts';

/** Which part of a file is wanted. */
export type PageRequest = {
  /** The number of the first line, from 1. */
  first: number;
  count: number;
  /** The first character of each line, from 1. */
  column: number;
  /** How much of a line is shown. */
  width: number;
  /** How much the whole page may have, in characters. */
  budget: number;
};

/** A line as far as it was kept. */
export type PageLine = {
  text: string;
  /** The line goes on behind what was kept. */
  open: boolean;
};

export type Page = {
  lines: PageLine[];
  /** How many lines there are; undefined where counting them would take too long. */
  total: number | undefined;
  /** Whether all of it was text. */
  valid: boolean;
};

/** The page as the model reads it: as many lines as fit, then where to go on. */
export function presentPage(page: Page, wanted: PageRequest, path: string, note?: string): string {
  const { total } = page;
  const { first } = wanted;
  const notes = note === undefined ? [] : [`[${note}]`];
  if (total === 0) return [...notes, '(empty)'].join('\n');
  if (page.lines.length === 0) throw new ToolFailure(`${path} has ${total} lines; offset ${first} is behind its end.`);
  const shown = fittingLines(page.lines, wanted);
  const last = first + shown.length - 1;
  if (!page.valid) shown.push('[not valid UTF-8: bytes that are no text are shown as \uFFFD]');
  const range = `lines ${first}–${last}`;
  if (total === undefined) shown.push(`[${range} of a long file; go on with offset ${last + 1}]`);
  else if (last < total) shown.push(`[${range} of ${total}; go on with offset ${last + 1}]`);
  return [...notes, ...shown].join('\n');
}

function fittingLines(lines: readonly PageLine[], wanted: PageRequest): string[] {
  const shown: string[] = [];
  let room = wanted.budget;
  for (const [index, line] of lines.entries()) {
    const number = wanted.first + index;
    const numbered = `${number}|${cutLine(line, number, wanted)}`;
    room -= numbered.length + 1;
    // The first line always fits, or paging could not go on.
    if (room < 0 && shown.length > 0) break;
    shown.push(numbered);
  }
  return shown;
}

/** The notice says how to get at the rest of a long line. */
function cutLine({ text, open }: PageLine, number: number, { column, width }: PageRequest): string {
  const shown = takeStart(text.slice(column - 1), width);
  const next = column + shown.length;
  if (next > text.length && !open) return shown;
  const length = open ? `more than ${text.length}` : `${text.length}`;
  return `${shown}… [line cut: ${length} characters; go on with offset ${number}, limit 1, column ${next}]`;
}
