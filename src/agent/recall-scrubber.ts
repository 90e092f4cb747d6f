import { ownBlock } from '../base/index.ts';
import { beginningAtEnd, cleanSurrogates } from '../util/index.ts';

const { opening, closing } = ownBlock('recall');
const TAG = '<memory-context>';

/** What a user types or pastes, fit for history: no broken characters, no recalled memory that leaked into a copy. */
export function cleanInput(text: string): string {
  return withoutRecallBlocks(cleanSurrogates(text));
}

/** A message without the blocks that came with a copy, ours or of another program. */
function withoutRecallBlocks(text: string): string {
  if (!/<memory-context>/i.test(text)) return text;
  // Capitals count as small ones; of the same length in this range, so the places stay the same.
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  let kept = '';
  let from = 0;
  for (;;) {
    const start = folded.indexOf(TAG, from);
    const end = start < 0 ? -1 : folded.indexOf(closing, start);
    // Without an end it is no block: the rest of what someone said is not thrown away.
    if (end < 0) return kept + text.slice(from);
    kept += text.slice(from, start);
    const blanks = /\s*/y;
    blanks.lastIndex = end + closing.length;
    blanks.test(text);
    from = blanks.lastIndex;
  }
}

/** Takes our own blocks out of a model's text, however it is cut into deltas. */
export interface RecallScrubber {
  push(text: string): string;
  /** What was held back, because it might have become a block. */
  end(): string;
}

export function createRecallScrubber(): RecallScrubber {
  let held = '';
  let inside = false;
  return {
    push(text) {
      // The usual case needs no look at anything.
      if (held === '' && !inside && !text.includes('<')) return text;
      let rest = held + text;
      let kept = '';
      for (;;) {
        const mark = inside ? closing : opening;
        const found = rest.indexOf(mark);
        if (found < 0) break;
        if (!inside) kept += rest.slice(0, found);
        rest = rest.slice(found + mark.length);
        inside = !inside;
      }
      const open = beginningAtEnd(rest, inside ? closing : opening);
      if (!inside) kept += rest.slice(0, rest.length - open);
      held = rest.slice(rest.length - open);
      return kept;
    },
    end() {
      const rest = inside ? '' : held;
      held = '';
      inside = false;
      return rest;
    },
  };
}

export function scrubRecall(text: string): string {
  if (!text.includes(opening)) return text;
  const scrubber = createRecallScrubber();
  return scrubber.push(text) + scrubber.end();
}
