import type { Theme } from '../theme.ts';
import { copyBlocks, startBlocks } from './block-state.ts';
import { endBlocks } from './blocks.ts';
import { type Reader, readLines } from './read-lines.ts';
import { createSheet } from './sheet.ts';

/**
 * One answer as it comes. Whatever the pieces it arrives in, the finished lines are the same, because each of them is
 * decided by the text before it alone. Only what is open is read again, so a long answer costs no more per piece.
 */
export interface AnswerStream {
  push(delta: string): void;
  /** Lines that will not change any more and were not taken yet. */
  takeFinished(width: number): string[];
  /** The part that may still change, at most so many lines of it (its end). */
  live(width: number, rows: number): string[];
  /** Everything is finished. After the lines were taken, another answer may begin. */
  end(): void;
  /** Forgets what was not taken. */
  discard(): void;
}

export function createAnswerStream(theme: Theme): AnswerStream {
  let reader: Reader = { blocks: startBlocks(), inLine: false };
  let [waiting, ended] = ['', false];
  let finished: string[] = [];
  const reset = () => {
    reader = { blocks: startBlocks(), inLine: false };
    [waiting, ended] = ['', false];
  };
  const settle = (width: number) => {
    const sheet = createSheet(theme, width, (line) => finished.push(line));
    waiting = readLines(reader, waiting, ended, sheet);
    if (!ended) return;
    endBlocks(reader.blocks, sheet);
    reset();
  };
  return {
    push(delta) {
      waiting += delta;
    },
    takeFinished(width) {
      settle(width);
      const taken = finished;
      finished = [];
      return taken;
    },
    live(width, rows) {
      settle(width);
      return rows < 1 ? [] : openLines(reader, waiting, theme, width).slice(-rows);
    },
    end() {
      ended = true;
    },
    discard() {
      reset();
      finished = [];
    },
  };
}

/** What the open part would look like if nothing more came. */
function openLines(reader: Reader, waiting: string, theme: Theme, width: number): string[] {
  const lines: string[] = [];
  const sheet = createSheet(theme, width, (line) => lines.push(line));
  const copy = { blocks: copyBlocks(reader.blocks), inLine: reader.inLine };
  readLines(copy, waiting, true, sheet);
  endBlocks(copy.blocks, sheet);
  return lines;
}
