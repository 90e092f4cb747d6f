import { type Style, showable } from '../style.ts';
import { fitWidth, wrapText } from '../../text/text-width.ts';
import { describeArguments, toolLine } from '../output/tool-line.ts';
import type { ToolStatus } from '../../../base/index.ts';

export type Theme = Style;

export function createTheme({ colours }: { colours: 'none' | 'dark' | 'light' }): Theme {
  const paint = (on: number, off: number) => (text: string) =>
    colours === 'none' || text === '' ? text : `\u001b[${on}m${text}\u001b[${off}m`;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** One answer as it comes. Whatever the pieces it arrives in, the finished lines are the same. */
export interface AnswerStream {
  push(delta: string): void;
  /** Lines that will not change any more and were not taken yet. */
  takeFinished(width: number): string[];
  /** The part that may still change, at most so many lines of it (its end). */
  live(width: number, rows: number): string[];
  /** Everything is finished. */
  end(): void;
  /** Forgets what was not finished. */
  discard(): void;
}

export function createAnswerStream(_theme: Theme): AnswerStream {
  let text = '';
  let ended = false;
  return {
    push(delta) {
      ended = false;
      text += text === '' ? showable(delta).trimStart() : showable(delta);
    },
    takeFinished(width) {
      const end = ended ? text.length : text.lastIndexOf('\n') + 1;
      if (end === 0) return [];
      const done = text.slice(0, end);
      text = text.slice(end);
      return wrapText(done.endsWith('\n') ? done.slice(0, -1) : done, width);
    },
    live: (width, rows) => (text === '' || rows < 1 ? [] : wrapText(text, width).slice(-rows)),
    end() {
      ended = true;
    },
    discard() {
      text = '';
    },
  };
}

export type RunningCall = { name: string; arguments: string; elapsedMs?: number; progress?: string };

/** A call that runs: one line. */
export function renderToolStart(call: RunningCall, width: number, theme: Theme): string[] {
  const about = [describeArguments(call.arguments), call.progress ?? ''].filter((part) => part !== '').join('  ');
  return [`${theme.cyan('○')} ${fitWidth(`${showable(call.name)}  ${about}`, width - 2)}`];
}

export type EndedCall = {
  name: string;
  arguments: string;
  status: ToolStatus;
  content: string;
  durationMs: number;
  /** With the whole result below it. */
  expanded?: boolean;
};

/** A call that has ended: one line, and all of the result where that is wanted. */
export function renderToolEnd(call: EndedCall, width: number, theme: Theme): string[] {
  const line = toolLine(theme, { ...call, about: describeArguments(call.arguments) });
  return call.expanded ? [line, ...wrapText(showable(call.content), width - 2).map((text) => `  ${text}`)] : [line];
}

/** What the model thought: one line, or all of it. */
export function renderReasoning(
  thought: { text: string; seconds: number; open: boolean },
  width: number,
  theme: Theme,
): string[] {
  if (thought.open) return wrapText(showable(thought.text.trim()), width - 2).map((line) => theme.dim(`  ${line}`));
  return [theme.dim(fitWidth(`∴ thought for ${thought.seconds} s (Ctrl-T shows it)`, width))];
}

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

export function renderStatusLine(status: StatusView, width: number, theme: Theme): string {
  const { activity, tokens, contextUsed, costUsd, cacheHitRate } = status;
  const percent = (part: number) => `${Math.round(part * 100)}%`;
  const parts = [
    activity && `${FRAMES[activity.frame % FRAMES.length]} ${showable(activity.text)} ${activity.seconds}s`,
    tokens === undefined ? undefined : `${tokens} tokens`,
    contextUsed === undefined ? undefined : `${percent(contextUsed)} of window`,
    costUsd === undefined ? undefined : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`,
    cacheHitRate === undefined ? undefined : `cache ${percent(cacheHitRate)}`,
    activity && 'Esc interrupts',
  ];
  return theme.dim(fitWidth(parts.filter(Boolean).join(' · '), width));
}
