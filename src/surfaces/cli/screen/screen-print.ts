import type { Report } from '../report-error.ts';
import { showable } from '../style.ts';
import { wrapTextWithAnsi } from './pi-tui.ts';
import type { ScreenState } from './screen-state.ts';
import { lineWidth } from './width.ts';

// What ends a colour may stand behind the last line break.
// oxlint-disable-next-line no-control-regex
const LAST_BREAK = /\n((?:\u001b\[[\d;]*m)*)$/;
/** Of a long message the rest is folded; it is in the session. */
const MAX_ECHO_LINES = 20;

/** Finished text with its line breaks. */
export function printText(screen: ScreenState, text: string): void {
  if (text === '') return;
  printLines(screen, text.replace(LAST_BREAK, '$1').split('\n'));
}

export function printReport(screen: ScreenState, { message, hint }: Report): void {
  const { theme } = screen;
  const lines = [theme.red(`✗ ${showable(message)}`), ...(hint ? [`  ${showable(hint)}`] : [])];
  printLines(
    screen,
    lines.flatMap((line) => line.split('\n')),
  );
}

function printLines({ device, print }: ScreenState, lines: readonly string[]): void {
  print(lines.flatMap((line) => wrapPrinted(line, device.columns)));
}

/** What the person said, where it begins to count. */
export function printEcho(screen: ScreenState, text: string): void {
  const { theme } = screen;
  const [first = '', ...rest] = showable(text).split('\n');
  const more = rest.length - MAX_ECHO_LINES;
  const shown = rest.slice(0, MAX_ECHO_LINES).map((line) => `  ${line}`);
  const cut = more > 0 ? [theme.dim(`  … ${more} more lines`)] : [];
  screen.print(['', `${theme.cyan('❯')} ${first}`, ...shown, ...cut]);
}

// A name with words about it behind a gap, as in lists of commands; or what a line is indented by.
// oxlint-disable-next-line no-control-regex
const NAME = /^ *[^\s\u001b]+ {2,}(?=\S)/;
const INDENT = /^ */;

/** A line of finished text as lines that fit the window, broken between words; what follows stands below what it is about. */
export function wrapPrinted(line: string, columns: number): string[] {
  if (lineWidth(line) <= columns) return [line];
  // In a narrow window a wide margin would leave no room.
  const fits = (beginning: string) => beginning !== '' && lineWidth(beginning) <= columns / 2;
  const first = [NAME, INDENT].map((shape) => shape.exec(line)?.[0] ?? '').find(fits) ?? '';
  const margin = ' '.repeat(lineWidth(first));
  const parts = wrapTextWithAnsi(line.slice(first.length).trimStart(), Math.max(1, columns - margin.length));
  return parts.map((part, index) => (index === 0 ? first : margin) + part);
}
