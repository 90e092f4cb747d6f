import { formatCost } from '../../text/format-cost.ts';
import { formatFigure } from '../../text/table.ts';
import { showable } from '../style.ts';
import { fitWidth, textWidth } from '../../text/text-width.ts';
import type { Theme } from './theme.ts';

export type StatusView = {
  /** What is done now, nothing between turns. */
  activity?: { text: string; seconds: number; frame: number };
  tokens?: number;
  /** How much of the window is used, from 0 to 1. */
  contextUsed?: number;
  costUsd?: number;
  cacheHitRate?: number;
};

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** From here on somebody should know that it will be compressed soon. */
const NEARLY_FULL = 0.8;
const MAX_ACTIVITY_LENGTH = 40;

type Part = {
  text: string;
  paint(text: string): string;
  /** The lowest goes first when there is no room. */
  worth: number;
};

/** What goes on and what it took, in one line. Where it does not fit, what matters least is left out whole. */
export function renderStatusLine(status: StatusView, width: number, theme: Theme): string {
  let parts = partsOf(status, theme);
  while (parts.length > 1 && lineWidth(parts) > width) {
    const least = Math.min(...parts.map(({ worth }) => worth));
    parts = parts.filter(({ worth }) => worth !== least);
  }
  return parts.map(({ text, paint }) => paint(fitWidth(text, width))).join(theme.dim(' · '));
}

function partsOf({ activity, tokens, contextUsed, costUsd, cacheHitRate }: StatusView, theme: Theme): Part[] {
  const parts: Part[] = [];
  const add = (text: string, worth: number, paint = theme.dim) => parts.push({ text, paint, worth });
  if (activity !== undefined) {
    const frame = FRAMES[activity.frame % FRAMES.length] ?? '';
    add(
      `${frame} ${fitWidth(showable(activity.text), MAX_ACTIVITY_LENGTH)} ${duration(activity.seconds)}`,
      6,
      theme.cyan,
    );
  }
  if (tokens !== undefined) add(`${formatFigure(tokens)} tokens`, 3);
  if (contextUsed !== undefined)
    add(`${percent(contextUsed)} of window`, 5, contextUsed >= NEARLY_FULL ? theme.yellow : theme.dim);
  if (costUsd !== undefined) add(formatCost({ usd: costUsd, unpriced: 0 }), 4);
  if (cacheHitRate !== undefined) add(`cache ${percent(cacheHitRate)}`, 2);
  if (activity !== undefined) add('Esc interrupts', 1);
  return parts;
}

function lineWidth(parts: readonly Part[]): number {
  return parts.reduce((sum, { text }) => sum + textWidth(text), 0) + 3 * (parts.length - 1);
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

/** `42s`, `3m 05s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
}
