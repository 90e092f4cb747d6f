import type { OutputExcerpt } from '../../contracts/index.ts';
import { takeStart } from '../../util/index.ts';
import { isFailureLine, isSuccessLine } from './failure-forms.ts';

/** Shorter logs are shown in full. */
const MIN_LOG = 12_000;
const MAX_EXCERPT = 8000;
const SHARES = { head: 0.15, failures: 0.5, tail: 0.35 };
/** Enough for the longest notice about omitted lines. */
const NOTICE_ROOM = 80;
const MAX_LINE = 400;
/** How many lines are shown before a failure, such as the name of the file, and after it. */
const BEFORE = 2;
const AFTER = 15;

/** A line, cut to its first characters. */
type LogLine = { number: number; text: string; length: number };

/**
 * Collects the beginning, the failures and the end of a log in bounded memory while it streams. Lines keep their order,
 * and each gap says how many lines it omits. No excerpt is longer than `limit`.
 */
export function createLogExcerpt(limit: number): OutputExcerpt {
  const room = Math.min(MAX_EXCERPT, limit) - 2 * NOTICE_ROOM;
  const ends = createEnds(Math.floor(room * SHARES.head), Math.floor(room * SHARES.tail));
  const failures = createFailures(Math.floor(room * SHARES.failures));
  const lines = createLineSplitter(Math.min(MAX_LINE, Math.floor((room * SHARES.head) / 2)), (line) => {
    for (const middle of ends.push(line)) failures.push(middle);
  });
  let total = 0;
  return {
    push(text) {
      total += text.length;
      lines.push(text);
    },
    finish() {
      const open = lines.end() ? 1 : 0;
      if (total <= Math.min(MIN_LOG, limit)) return undefined;
      const shown = [...ends.head, ...failures.shown, ...ends.tail];
      const length = shown.reduce((sum, { text }) => sum + text.length + 1, 0);
      return { text: join(shown, failures.unshown()), omitted: total + open - length, total };
    },
  };
}

/** Splits streamed text into numbered lines, of which only the beginning is kept. */
function createLineSplitter(most: number, emit: (line: LogLine) => void) {
  let number = 0;
  let start = '';
  let length = 0;

  function add(text: string): void {
    // One character more, so that a cut does not split a surrogate pair.
    if (start.length <= most) start += text.slice(0, most + 1 - start.length);
    length += text.length;
  }

  function end(): void {
    number += 1;
    emit({ number, text: takeStart(start, most), length });
    start = '';
    length = 0;
  }

  return {
    push(text: string): void {
      let from = 0;
      for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
        add(text.slice(from, to));
        end();
        from = to + 1;
      }
      add(text.slice(from));
    },
    /** Returns whether the last line had no newline. */
    end(): boolean {
      if (length === 0) return false;
      end();
      return true;
    },
  };
}

/** The first and the last lines that fit. `push` returns the lines that are in neither part. */
function createEnds(headRoom: number, tailRoom: number) {
  const head: LogLine[] = [];
  const tail: LogLine[] = [];
  let left = headRoom;
  let tailLength = 0;
  return {
    head,
    tail,
    push(line: LogLine): LogLine[] {
      const cost = costOf(line);
      if (tail.length === 0 && cost <= left) {
        left -= cost;
        head.push(line);
        return [];
      }
      tail.push(line);
      tailLength += cost;
      const middle: LogLine[] = [];
      while (tailLength > tailRoom && tail.length > 0) {
        const [first] = tail.splice(0, 1) as [LogLine];
        tailLength -= costOf(first);
        middle.push(first);
      }
      return middle;
    },
  };
}

/** The failures among the lines, with lines around them, as many as fit. */
function createFailures(room: number) {
  const shown: LogLine[] = [];
  let before: LogLine[] = [];
  let left = room;
  let follow = 0;
  let unshown = 0;

  function show(line: LogLine): boolean {
    const gap = shown.at(-1)?.number === line.number - 1 ? 0 : NOTICE_ROOM;
    const cost = costOf(line) + gap;
    if (cost > left) return false;
    left -= cost;
    shown.push(line);
    return true;
  }

  return {
    shown,
    /** How many lines about failures did not fit. */
    unshown: () => unshown,
    push(line: LogLine): void {
      const isFailure = isFailureLine(line.text);
      if (isFailure) {
        if (unshown === 0) for (const each of before) show(each);
        follow = AFTER;
      } else if (isSuccessLine(line.text)) follow = 0;
      const isWanted = isFailure || follow-- > 0;
      // After the first failure that does not fit, shorter lines of later ones would be fragments.
      const isShown = isWanted && unshown === 0 && show(line);
      if (isShown) before = [];
      else {
        if (isFailure) unshown += 1;
        before = [...before, line].slice(-BEFORE);
      }
    },
  };
}

function costOf(line: LogLine): number {
  return shownLine(line).length + 1;
}

function shownLine({ text, length }: LogLine): string {
  return length > text.length ? `${text}… [+${length - text.length} characters]` : text;
}

/** Joins lines in order; a notice replaces those between them. */
function join(shown: readonly LogLine[], unshownFailures: number): string {
  const parts: string[] = [];
  let last = 0;
  const lastGap = shown.findLastIndex(({ number }, index) => number > (shown[index - 1]?.number ?? 0) + 1);
  for (const [index, line] of shown.entries()) {
    const omitted = line.number - last - 1;
    const also = index === lastGap && unshownFailures > 0 ? `, ${unshownFailures} about failures` : '';
    if (omitted > 0) parts.push(`[… ${omitted} ${omitted === 1 ? 'line' : 'lines'} omitted${also} …]`);
    parts.push(shownLine(line));
    last = line.number;
  }
  return parts.join('\n');
}
