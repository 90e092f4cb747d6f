import { stripAnsi } from '../../../util/index.ts';
import { textWidth } from '../../../util/text-width.ts';
import { truncateToWidth } from './pi-tui.ts';

/** The width of a line in terminal columns, without its escape sequences. */
export function lineWidth(line: string): number {
  return textWidth(stripAnsi(line));
}

/** Truncates a line to this many columns, with an ellipsis. */
export function fitLine(line: string, columns: number): string {
  return lineWidth(line) <= columns ? line : truncateToWidth(line, columns, '…');
}
