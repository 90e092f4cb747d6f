import { formatCost } from '../../text/format-cost.ts';
import { formatFigure } from '../../text/table.ts';
import { printable } from '../style.ts';
import { fitWidth, textWidth } from '../../../util/text-width.ts';
import type { SessionMode } from '../../../runtime/index.ts';
import type { Theme } from './theme.ts';

export type StatusView = {
  /** The current activity; undefined between turns. */
  activity?: { text: string; seconds: number; frame: number };
  /** Esc answers a question instead of interrupting the turn. */
  escAnswers?: boolean;
  tokens?: number;
  /** The used share of the context window, from 0 to 1. */
  contextUsed?: number;
  costUsd?: number;
  cacheHitRate?: number;
  /** The mode of the session, unless it is the default. */
  mode?: Exclude<SessionMode, 'default'>;
};

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** From this share on the figure is highlighted, because compression is near. */
const WARN_SHARE = 0.8;
const MAX_ACTIVITY_LENGTH = 40;

const MODE_NAMES = { plan: 'plan mode', yolo: 'YOLO' } as const;

type Part = {
  text: string;
  paint(text: string): string;
  /** Parts with the lowest value are dropped first. */
  priority: number;
  /** Shown at the right edge. */
  isFigure: boolean;
};

const SEPARATOR = ' · ';

/**
 * Renders the activity and, at the right edge, the usage. If the line is too long, the least important parts are
 * dropped.
 */
export function renderStatusLine(status: StatusView, width: number, theme: Theme): string {
  let parts = partsOf(status, theme);
  while (parts.length > 1 && widthOf(parts) > width) {
    const least = Math.min(...parts.map(({ priority }) => priority));
    parts = parts.filter(({ priority }) => priority !== least);
  }
  const join = (side: Part[]) => side.map(({ text, paint }) => paint(fitWidth(text, width))).join(theme.dim(SEPARATOR));
  const [figures, others] = [parts.filter(({ isFigure }) => isFigure), parts.filter(({ isFigure }) => !isFigure)];
  // The last column stays free, so that the line does not wrap.
  const between = width - 1 - widthOf(others) - widthOf(figures);
  const hasRoom = figures.length > 0 && between >= (others.length === 0 ? 0 : SEPARATOR.length);
  return hasRoom ? join(others) + ' '.repeat(between) + join(figures) : join(parts);
}

function partsOf(status: StatusView, theme: Theme): Part[] {
  const { activity, tokens, contextUsed, costUsd, cacheHitRate, mode, escAnswers } = status;
  const parts: Part[] = [];
  const add = (text: string, priority: number, paint = theme.dim, isFigure = true) =>
    parts.push({ text, paint, priority, isFigure });
  if (activity !== undefined) {
    const frame = FRAMES[activity.frame % FRAMES.length] ?? '';
    add(
      `${frame} ${fitWidth(printable(activity.text), MAX_ACTIVITY_LENGTH)} ${duration(activity.seconds)}`,
      6,
      theme.cyan,
      false,
    );
    if (escAnswers !== true) add('Esc to interrupt', 1, theme.dim, false);
  }
  if (mode !== undefined) add(MODE_NAMES[mode], 7, theme.yellow, false);
  if (tokens !== undefined) add(`${formatFigure(tokens)} tokens`, 3);
  if (contextUsed !== undefined)
    add(`${percent(contextUsed)} of window`, 5, contextUsed >= WARN_SHARE ? theme.yellow : theme.dim);
  if (costUsd !== undefined) add(formatCost({ usd: costUsd, unpriced: 0 }), 4);
  if (cacheHitRate !== undefined) add(`cache ${percent(cacheHitRate)}`, 2);
  return parts;
}

function widthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { text }) => sum + textWidth(text), 0) + SEPARATOR.length * Math.max(0, parts.length - 1);
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

/** Formats seconds as `42s` or `3m 05s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
}
