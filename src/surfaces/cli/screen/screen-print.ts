import type { Report } from '../report-error.ts';
import { showable } from '../style.ts';
import type { ScreenState } from './screen-state.ts';
import { wrapPrinted } from './wrap-printed.ts';

// What ends a colour may stand behind the last line break.
// oxlint-disable-next-line no-control-regex
const LAST_BREAK = /\n((?:\u001b\[[\d;]*m)*)$/;
/** Of a long message the rest is folded; it is in the session. */
const MOST_ECHO_LINES = 20;

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
  const more = rest.length - MOST_ECHO_LINES;
  const shown = rest.slice(0, MOST_ECHO_LINES).map((line) => `  ${line}`);
  const cut = more > 0 ? [theme.dim(`  … ${more} more lines`)] : [];
  screen.print(['', `${theme.cyan('❯')} ${first}`, ...shown, ...cut]);
}
