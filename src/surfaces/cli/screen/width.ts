import { stripAnsi } from '../../../util/index.ts';
import { truncateToWidth, visibleWidth } from './pi-tui.ts';

// Letters and signs of which each surely takes one column. The first use of the general way compiles tables of all of
// Unicode, which would be a third of the start.
const NARROW = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u203a\u2190-\u21ff\u2500-\u25ef\u276f\u2800-\u28ff]*$/;

/** How many columns a line takes in a terminal, whatever colours it has. */
export function lineWidth(line: string): number {
  const text = stripAnsi(line);
  return NARROW.test(text) ? text.length : visibleWidth(line);
}

/** A line of at most so many columns; what is cut off leaves a mark. */
export function fitLine(line: string, columns: number): string {
  return lineWidth(line) <= columns ? line : truncateToWidth(line, columns, '…');
}
