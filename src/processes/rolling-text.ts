import type { ProcessOutput } from '../contracts/index.ts';
import { createAnsiStripper, takeEnd } from '../util/index.ts';

export interface RollingText extends ProcessOutput {
  /** Takes text as it was printed; gives back what is kept of it. */
  push(text: string): string;
  /** The end of the text: what was held back belongs to it. */
  end(): string;
}

/** Keeps the last part of a text of any length, readable and in bounded memory. */
export function createRollingText(limit: number): RollingText {
  const stripper = createAnsiStripper();
  const endings = createLineEndings();
  let kept = '';
  let dropped = 0;
  let droppedLines = 0;
  /** How far it was read, counted from the very beginning. */
  let read = 0;

  function keep(text: string): string {
    kept += text;
    // Cutting only when twice the need has gathered keeps the cost per character constant.
    if (kept.length > 2 * limit) drop(takeEnd(kept, limit));
    return text;
  }

  function drop(rest: string): void {
    droppedLines += countLineEnds(kept, kept.length - rest.length);
    dropped += kept.length - rest.length;
    kept = rest;
  }

  /** Nobody sees that more than the limit is kept for a while. */
  function current(): string {
    if (kept.length > limit) drop(takeEnd(kept, limit));
    return kept;
  }

  return {
    push: (text) => keep(endings.push(stripper.push(text))),
    end: () => keep(endings.push(stripper.end()) + endings.end()),
    text: current,
    droppedLines() {
      current();
      return droppedLines;
    },
    takeNew() {
      const text = current();
      const lost = Math.max(0, dropped - read);
      const fresh = text.slice(Math.max(0, read - dropped));
      read = dropped + text.length;
      return { text: fresh, dropped: lost };
    },
  };
}

/** A terminal ends its lines with two characters; the second may come with the next piece. */
function createLineEndings(): { push(text: string): string; end(): string } {
  let pending = '';
  return {
    push(text) {
      const whole = pending + text;
      pending = whole.endsWith('\r') ? '\r' : '';
      return whole.slice(0, whole.length - pending.length).replaceAll('\r\n', '\n');
    },
    end() {
      const rest = pending;
      pending = '';
      return rest;
    },
  };
}

function countLineEnds(text: string, before: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < before; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
