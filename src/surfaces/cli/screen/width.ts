import { stripAnsi } from '../../../util/index.ts';
import { truncateToWidth, visibleWidth } from './pi-tui.ts';

// Characters that certainly take one column. `visibleWidth` compiles Unicode tables on its first use, which would
// take a third of the startup time.
const NARROW = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u203a\u2190-\u21ff\u2500-\u25ef\u276f\u2800-\u28ff]*$/;

/** The width of a line in terminal columns, without its escape sequences. */
export function lineWidth(line: string): number {
  const text = stripAnsi(line);
  return NARROW.test(text) ? text.length : visibleWidth(line);
}

/** Truncates a line to this many columns, with an ellipsis. */
export function fitLine(line: string, columns: number): string {
  return lineWidth(line) <= columns ? line : truncateToWidth(line, columns, '…');
}
