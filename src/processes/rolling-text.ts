import type { ProcessOutput } from '../contracts/index.ts';
import { createAnsiStripper, takeEnd } from '../util/index.ts';

export interface RollingText extends ProcessOutput {
  /** Accepts raw output and returns it without escape sequences and carriage returns. */
  push(text: string): string;
  /** Flushes what was buffered because it could have been the start of an escape sequence or a line ending. */
  end(): string;
}

/** Retains the last `limit` characters of a text without escape sequences, in bounded memory. */
export function createRollingText(limit: number): RollingText {
  const stripper = createAnsiStripper();
  const endings = createLineEndings();
  let kept = '';
  let dropped = 0;
  let droppedLines = 0;
  /** How far the text was read, as an offset from its beginning. */
  let read = 0;

  function keep(text: string): string {
    kept += text;
    // Truncating only at twice the limit keeps the amortised cost per character constant.
    if (kept.length > 2 * limit) drop(takeEnd(kept, limit));
    return text;
  }

  function drop(rest: string): void {
    droppedLines += countLineEnds(kept, kept.length - rest.length);
    dropped += kept.length - rest.length;
    kept = rest;
  }

  /** Truncates to the limit before the text is returned. */
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
    readNew() {
      const text = current();
      const lost = Math.max(0, dropped - read);
      const fresh = text.slice(Math.max(0, read - dropped));
      read = dropped + text.length;
      return { text: fresh, dropped: lost };
    },
  };
}

/** Converts the CRLF of a terminal to LF, even if it is split between two chunks. */
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
