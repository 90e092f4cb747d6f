import { wrapText } from '../../text/text-width.ts';
import { printableWhole } from '../style.ts';

/**
 * Before every row of text from outside, so that the text cannot imitate the rows of the panel around it, whatever line
 * breaks and spaces it contains.
 */
const LINE_MARK = '  │ ';
/** Before a row that continues the one above, because that was too long for the window. */
const CONTINUATION_MARK = '  ┊ ';

/** Invisible characters, those that change the direction of text, and line separators other than a line feed. */
const INVISIBLE = /\p{Cf}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|\u2800/gu;

/**
 * A command or a path for an approval: every character is visible, only line feeds break lines, and tabs have a fixed
 * width, because a row that the terminal shows wider than expected would continue without a mark.
 */
export function approvalText(text: string): string {
  return printableWhole(text.replaceAll('\r', '␍').replaceAll('\t', '    ').replace(INVISIBLE, showCode));
}

/** The same on one line. */
export function approvalLine(text: string): string {
  return approvalText(text).replaceAll('\n', '⏎');
}

/** The rows of a command: a mark is before each of them. */
export function markedRows(text: string, columns: number): string[] {
  return approvalText(text)
    .split('\n')
    .flatMap((line) =>
      wrapText(line, roomIn(columns)).map((row, index) => (index === 0 ? LINE_MARK : CONTINUATION_MARK) + row),
    );
}

/** The rows of a line of the panel that contains text from outside: only the first begins like a line of the panel. */
export function panelRows(line: string, columns: number, wrap = wrapText): string[] {
  return wrap(line, roomIn(columns)).map((row, index) => (index === 0 ? row : CONTINUATION_MARK + row));
}

/** One column stays free, because some terminals break the line when the last one is written. */
function roomIn(columns: number): number {
  return Math.max(1, columns - CONTINUATION_MARK.length - 1);
}

function showCode(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
