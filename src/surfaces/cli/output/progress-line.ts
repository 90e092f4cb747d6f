import { fitWidth, textWidth } from '../../text/text-width.ts';
import type { CliIo } from '../cli-io.ts';

/** One line that is drawn over itself, where somebody watches; nothing anywhere else. */
interface ProgressLine {
  readonly isShown: boolean;
  /** May be called as often as something happens. */
  draw(describe: () => ProgressText): void;
  /** Makes room for other words, or for the end. */
  clear(): void;
}

/** `share` is how much is done, from 0 to 1, where that is known. */
export type ProgressText = { text: string; share?: number };

const REDRAW_MS = 100;
const USUAL_COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[K';
const [MIN_BAR, WIDEST_BAR] = [5, 24];

export function createProgressLine(
  { stderr, env }: Pick<CliIo, 'stderr' | 'env'>,
  { isWanted = true }: { isWanted?: boolean } = {},
): ProgressLine {
  const isShown = isWanted && stderr.isTTY === true && env['TERM'] !== 'dumb';
  let drawnAt: number | undefined;
  return {
    isShown,
    draw(describe) {
      const now = performance.now();
      if (!isShown || (drawnAt !== undefined && now - drawnAt < REDRAW_MS)) return;
      drawnAt = now;
      stderr.write(`${CLEAR_LINE}${formatProgressLine(describe(), stderr.columns ?? USUAL_COLUMNS)}`);
    },
    clear() {
      if (drawnAt !== undefined) stderr.write(CLEAR_LINE);
      drawnAt = undefined;
    },
  };
}

/** The words come first: the bar takes what they leave. A line as wide as the window would begin a second one. */
export function formatProgressLine({ text, share }: ProgressText, columns: number): string {
  const most = columns - 1;
  const width = Math.min(WIDEST_BAR, most - textWidth(text) - '[] '.length);
  if (share === undefined || width < MIN_BAR) return fitWidth(text, most);
  const filled = Math.floor(Math.min(1, share) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${text}`;
}
