import { fitWidth, textWidth } from '../../../util/text-width.ts';
import type { CliIo } from '../cli-io.ts';

/** A progress line that is redrawn in place; nothing is written if stderr is not a terminal. */
interface ProgressLine {
  readonly isShown: boolean;
  /** Can be called at any rate; redraws are throttled. */
  draw(describe: () => ProgressText): void;
  /** Removes the line, before other output or at the end. */
  clear(): void;
}

/** `share` is the completed part, from 0 to 1, if known. */
export type ProgressText = { text: string; share?: number };

const REDRAW_MS = 100;
const DEFAULT_COLUMNS = 80;
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
      stderr.write(`${CLEAR_LINE}${formatProgressLine(describe(), stderr.columns ?? DEFAULT_COLUMNS)}`);
    },
    clear() {
      if (drawnAt !== undefined) stderr.write(CLEAR_LINE);
      drawnAt = undefined;
    },
  };
}

/** The bar gets the room that the text leaves. The line must be narrower than the window, or it would wrap. */
export function formatProgressLine({ text, share }: ProgressText, columns: number): string {
  const most = columns - 1;
  const width = Math.min(WIDEST_BAR, most - textWidth(text) - '[] '.length);
  if (share === undefined || width < MIN_BAR) return fitWidth(text, most);
  const filled = Math.floor(Math.min(1, share) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${text}`;
}
