import { type Clock, errorMessage } from '../base/index.ts';
import { createExpressionMatcher, type Expression, shorten } from '../util/index.ts';

/** The minimum interval between two notices about one process. */
const NOTICE_INTERVAL_MS = 15_000;
/** Watching stops after this many consecutive intervals with suppressed matches. */
const MAX_STRIKES = 3;
const GLOBAL_LIMIT = { max: 15, withinMs: 10_000, pauseMs: 30_000 };
const SHOWN_LINES = 5;
const SHOWN_CHARACTERS = 300;
/** Only this many characters of a line are matched. */
const MAX_LINE_LENGTH = 4000;

/** A rate limit for the notices of all processes together. */
export interface NoticeRateLimiter {
  tryAcquire(): boolean;
}

export function createNoticeRateLimiter(clock: Clock): NoticeRateLimiter {
  let times: number[] = [];
  let pausedUntil = 0;
  return {
    tryAcquire() {
      const now = clock.now();
      if (now < pausedUntil) return false;
      times = times.filter((time) => time > now - GLOBAL_LIMIT.withinMs);
      if (times.length >= GLOBAL_LIMIT.max) {
        pausedUntil = now + GLOBAL_LIMIT.pauseMs;
        return false;
      }
      times.push(now);
      return true;
    },
  };
}

export type OutputWatchOptions = {
  patterns: readonly string[];
  clock: Clock;
  limit: NoticeRateLimiter;
  notify(text: string): void;
  /** Called when watching stops early; the session is notified of the exit instead. */
  onDisabled(reason: string): void;
};

export interface OutputWatch {
  push(text: string): void;
  /** Resolves when all output that was pushed has been matched. */
  end(): Promise<void>;
}

/** Reports matching lines at a limited rate. */
export function createOutputWatch({ patterns, clock, limit, notify, onDisabled }: OutputWatchOptions): OutputWatch {
  const watched = createLineMatcher(patterns);
  let on = true;
  let lastNoticeAt = Number.NEGATIVE_INFINITY;
  let strikes = 0;
  /** The number of matching lines that were suppressed. */
  let suppressed = 0;
  let work: Promise<void> = Promise.resolve();

  function stop(reason: string): void {
    on = false;
    watched.close();
    onDisabled(reason);
  }

  function report(lines: readonly string[]): void {
    const now = clock.now();
    if (now - lastNoticeAt < NOTICE_INTERVAL_MS) {
      suppressed += lines.length;
      return;
    }
    // An interval without suppressed matches resets the count.
    strikes = suppressed > 0 ? strikes + 1 : 0;
    if (strikes >= MAX_STRIKES) return stop('they matched too often');
    if (!limit.tryAcquire()) {
      suppressed += lines.length;
      return;
    }
    lastNoticeAt = now;
    notify(describeMatches(lines, suppressed));
    suppressed = 0;
  }

  async function reportMatches(matching: ReturnType<typeof watched.push>): Promise<void> {
    const { lines, tooSlow } = await matching;
    if (!on) return;
    if (lines.length > 0) report(lines);
    if (tooSlow && on) stop('a regular expression timed out');
  }

  return {
    push(text) {
      if (on) work = work.then(() => (on ? reportMatches(watched.push(text)) : undefined));
    },
    async end() {
      await work;
      if (on) await reportMatches(watched.end());
      watched.close();
    },
  };
}

function describeMatches(lines: readonly string[], suppressed: number): string {
  const shown = lines.slice(-SHOWN_LINES).map((line) => shorten(line, SHOWN_CHARACTERS));
  const more = lines.length - shown.length + suppressed;
  return [...shown, ...(more > 0 ? [`(${more} earlier matching lines omitted)`] : [])].join('\n');
}

/** Splits output into lines and matches them against patterns. */
interface LineMatcher {
  /** The matching lines completed by this chunk; `tooSlow` if a regular expression timed out. */
  push(text: string): Promise<{ lines: string[]; tooSlow: boolean }>;
  /** Matches the last line, which may lack a line break. */
  end(): Promise<{ lines: string[]; tooSlow: boolean }>;
  /** Stops matching and releases the matcher. */
  close(): void;
}

/** Why a list of patterns is invalid; undefined if it is valid. */
export function validateWatchPatterns(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    if (pattern.trim() === '') return 'A watch pattern is empty.';
    const expression = expressionIn(pattern);
    try {
      if (expression !== undefined) RegExp(expression.source, expression.flags);
    } catch (thrown) {
      return `The watch pattern ${pattern} is not a valid regular expression: ${errorMessage(thrown)}.`;
    }
  }
  return undefined;
}

/** `/…/` and `/…/i` are regular expressions; anything else is matched literally. */
function expressionIn(pattern: string): Expression | undefined {
  const [, source, flags = ''] = /^\/(.+)\/(i?)$/.exec(pattern) ?? [];
  return source === undefined ? undefined : { source, flags };
}

function createLineMatcher(patterns: readonly string[]): LineMatcher {
  const texts = patterns.filter((pattern) => expressionIn(pattern) === undefined);
  const expressions = patterns.flatMap((pattern) => expressionIn(pattern) ?? []);
  const matcher = createExpressionMatcher(expressions);
  let open = '';

  async function match(lines: readonly string[]): Promise<{ lines: string[]; tooSlow: boolean }> {
    const matched = expressions.length === 0 ? [] : await matcher.match(lines);
    const numbers = new Set(matched);
    const found = lines.filter((line, at) => numbers.has(at) || texts.some((text) => line.includes(text)));
    return { lines: found, tooSlow: matched === undefined };
  }

  return {
    push(text) {
      const lines = (open + text).split('\n');
      open = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
      return match(lines.map((line) => line.slice(0, MAX_LINE_LENGTH)));
    },
    end() {
      const lines = open === '' ? [] : [open];
      open = '';
      return match(lines);
    },
    close: matcher.close,
  };
}
