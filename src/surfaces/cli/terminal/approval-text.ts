import { approvalText } from '../../text/approval-text.ts';
import { wrapText } from '../../../util/text-width.ts';

/**
 * Before every row of text from outside, so that the text cannot imitate the rows of the panel around it, whatever line
 * breaks and spaces it contains.
 */
const LINE_MARK = '  │ ';
/** Before a row that continues the one above, because that was too long for the window. */
const CONTINUATION_MARK = '  ┊ ';

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
