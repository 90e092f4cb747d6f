import type { Progress } from '../../batch/index.ts';
import { counted } from '../../text/counted.ts';
import { formatCost } from '../../text/format-cost.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';

/** Shows how far a run is: one line that is drawn again in a terminal, a line now and then everywhere else. */
export interface ProgressView {
  follow(progress: () => Progress): void;
  /** Words that stand above the line. */
  say(text: string): void;
  close(): void;
}

const DRAWN_EVERY_MS = 200;
const SAID_EVERY_MS = 30_000;
const BAR_WIDTH = 20;
const CLEAR_LINE = '\r\u001b[K';

export function createProgressView({ stderr, env }: Pick<CliIo, 'stderr' | 'env'>): ProgressView {
  const draws = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let timer: NodeJS.Timeout | undefined;
  let current: (() => Progress) | undefined;
  const clear = () => void (draws && current !== undefined && stderr.write(CLEAR_LINE));
  const draw = () => {
    if (current === undefined) return;
    const line = describeProgress(current(), Date.now());
    if (draws) stderr.write(`${CLEAR_LINE}${fit(`${barOf(current())} ${line}`, stderr.columns ?? 80)}`);
    else stderr.write(`hermes: ${line}\n`);
  };
  return {
    follow(progress) {
      current = progress;
      timer = setInterval(draw, draws ? DRAWN_EVERY_MS : SAID_EVERY_MS);
      if (draws) draw();
    },
    say(text) {
      clear();
      stderr.write(`hermes: ${showable(text)}\n`);
      if (draws) draw();
    },
    close() {
      clearInterval(timer);
      clear();
      current = undefined;
    },
  };
}

/** `120 of 1,000, 3.2/s, $1.20 so far, about 5 min left, 2 failed` */
export function describeProgress(progress: Progress, now: number): string {
  const { total, kept, dropped, failed, usd, costKnown, perSecond, secondsLeft, waiting } = progress;
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
  return `${parts.join(', ')}; waiting ${counted(seconds, 'second')}: ${showable(waiting.reason)}`;
}

function formatRate(perSecond: number): string {
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

function barOf({ total, kept, dropped, failed }: Progress): string {
  const filled = total === 0 ? 0 : Math.min(BAR_WIDTH, Math.floor(((kept + dropped + failed) / total) * BAR_WIDTH));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}

/** A line that is wider than the window would be drawn over and over. */
function fit(line: string, columns: number): string {
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
}
