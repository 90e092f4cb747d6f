import { ownBlock } from '../base/index.ts';
import { trailingPrefixLength, cleanSurrogates } from '../util/index.ts';

const { opening, closing } = ownBlock('recall');
const TAG = '<memory-context>';

/**
 * Cleans text that a user typed or pasted: replaces lone surrogates, and removes recall blocks that were copied
 * along.
 */
export function cleanInput(text: string): string {
  return withoutRecallBlocks(cleanSurrogates(text));
}

/** Removes recall blocks, ours or another program's, from a message. */
function withoutRecallBlocks(text: string): string {
  if (!/<memory-context>/i.test(text)) return text;
  // Only A–Z are lower-cased, which keeps the length, so indexes into `folded` are valid for `text`.
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  let kept = '';
  let from = 0;
  for (;;) {
    const start = folded.indexOf(TAG, from);
    const end = start < 0 ? -1 : folded.indexOf(closing, start);
    // A block without an end may be something the user wrote, so it stays.
    if (end < 0) return kept + text.slice(from);
    kept += text.slice(from, start);
    const blanks = /\s*/y;
    blanks.lastIndex = end + closing.length;
    blanks.test(text);
    from = blanks.lastIndex;
  }
}

/** Removes our own recall blocks from a model's text, even if they are split across deltas. */
export interface RecallScrubber {
  push(text: string): string;
  /** Returns text that was held back because it could have been the start of a block. */
  end(): string;
}

export function createRecallScrubber(): RecallScrubber {
  let held = '';
  let inside = false;
  return {
    push(text) {
      // Fast path for the usual case.
      if (held === '' && !inside && !text.includes('<')) return text;
      let rest = held + text;
      let kept = '';
      for (;;) {
        const marker = inside ? closing : opening;
        const found = rest.indexOf(marker);
        if (found < 0) break;
        if (!inside) kept += rest.slice(0, found);
        rest = rest.slice(found + marker.length);
        inside = !inside;
      }
      const open = trailingPrefixLength(rest, inside ? closing : opening);
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
