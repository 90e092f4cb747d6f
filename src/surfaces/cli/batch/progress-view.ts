import type { Progress } from '../../batch/index.ts';
import { counted } from '../../text/counted.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatDuration } from '../../text/format-duration.ts';
import type { CliIo } from '../cli-io.ts';
import { createProgressLine } from '../output/progress-line.ts';
import { writeNotice } from '../report-error.ts';
import { printable } from '../style.ts';

/** Shows the progress of a batch run: a live line in a terminal, otherwise a line every 30 seconds. */
interface ProgressView {
  follow(progress: () => Progress): void;
  /** Prints a message above the progress line. */
  say(text: string): void;
  close(): void;
}

const DRAW_INTERVAL_MS = 200;
const PRINT_INTERVAL_MS = 30_000;

export function createProgressView(io: Pick<CliIo, 'stderr' | 'env'>): ProgressView {
  const line = createProgressLine(io);
  let timer: NodeJS.Timeout | undefined;
  let current: (() => Progress) | undefined;
  const draw = (now: Progress) => line.draw(() => ({ text: describeProgress(now, Date.now()), share: shareOf(now) }));
  let printed = '';
  // Skip repeated lines: a worker may be idle for days.
  const print = (now: Progress) => {
    const text = describeProgress(now, Date.now());
    if (text !== printed) writeNotice(io, text);
    printed = text;
  };
  return {
    follow(progress) {
      current = progress;
      const [show, everyMs] = line.isShown ? [draw, DRAW_INTERVAL_MS] : [print, PRINT_INTERVAL_MS];
      timer = setInterval(() => show(progress()), everyMs);
      draw(progress());
    },
    say(text) {
      line.clear();
      writeNotice(io, text);
      if (current !== undefined) draw(current());
    },
    close() {
      clearInterval(timer);
      line.clear();
      current = undefined;
    },
  };
}

/** `120 of 1,000, 3.2/s, $1.20 so far, about 5 min left, 2 failed` */
function describeProgress(progress: Progress, now: number): string {
  const { total, kept, dropped, failed, usd, costKnown, perSecond, secondsLeft, waiting } = progress;
  if (total === 0) return 'waiting for prompts';
  const done = kept + dropped + failed;
  const parts = [
    `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`,
    ...(perSecond === undefined ? [] : [formatRate(perSecond)]),
    usd === 0 && !costKnown ? 'cost unknown' : `${formatCost({ usd, unpriced: costKnown ? 0 : 1 })} so far`,
    ...(secondsLeft === undefined || done >= total ? [] : [`about ${formatDuration(secondsLeft)} left`]),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  if (waiting === undefined) return parts.join(', ');
  const seconds = Math.max(0, Math.ceil((waiting.until - now) / 1000));
  return `${parts.join(', ')}; waiting ${counted(seconds, 'second')}: ${printable(waiting.reason)}`;
}

function formatRate(perSecond: number): string {
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
}

function shareOf({ total, kept, dropped, failed }: Progress): number {
  return total === 0 ? 0 : (kept + dropped + failed) / total;
}
