import type { RunResult } from '../../../base/index.ts';
import { unprintedAnswer } from '../output/event-note.ts';
import type { AnswerStream } from '../render/index.ts';

/** The text of a turn: lines that cannot change any more are printed, the rest is drawn in the live part. */
export interface Answer {
  /**
   * A model call starts. Text that the same step already has is the first part of an answer that is being continued.
   */
  begin(): void;
  write(text: string): void;
  /** Accepts the text of the step and prints it. */
  commit(): void;
  /** Prints the text so far, because something else is printed next. */
  flush(): void;
  /** Discards the text since the last `begin`. Returns true if some of it was already printed. */
  discard(): boolean;
  finish(result: RunResult): void;
  live(width: number, rows: number): string[];
}

export function createAnswer(
  createStream: () => AnswerStream,
  print: (lines: readonly string[]) => void,
  width: () => number,
): Answer {
  const text = createPrintedStream(createStream, print, width);
  let [step, lastStep] = ['', ''];
  /** How many characters of the step came before the current model call. */
  let kept = 0;
  /** The text was discarded, but stays on the screen until it is written again. */
  let discarded = false;

  function commit(): void {
    if (step === '') return;
    text.end();
    lastStep = step.trim();
    [step, kept] = ['', 0];
  }

  return {
    begin() {
      if (discarded) text.discard();
      discarded = false;
      kept = step.length;
      text.begin();
    },
    write(piece) {
      // Many models start with blank lines.
      const shown = step === '' ? piece.trimStart() : piece;
      if (shown === '') return;
      step += shown;
      text.push(shown);
    },
    commit,
    flush: () => (step === '' ? undefined : text.end()),
    discard() {
      const began = step.length > kept;
      // The part before this call is valid but may be incomplete. It is printed together with the discarded text; the
      // turn view says that the text is written again.
      if (kept > 0 && began) text.end();
      else discarded = began;
      step = step.slice(0, kept);
      return began && text.wasPrinted();
    },
    finish(result) {
      // The discarded text will not be written again, so it stays visible.
      if (discarded) text.end();
      discarded = false;
      commit();
      const unsaid = unprintedAnswer(result, lastStep);
      if (unsaid === undefined) return;
      text.push(unsaid);
      text.end();
    },
    live: text.live,
  };
}

/** Prints the finished lines of a stream as they arrive, and starts a new stream after each `end`. */
function createPrintedStream(
  createStream: () => AnswerStream,
  print: (lines: readonly string[]) => void,
  width: () => number,
) {
  let stream = createStream();
  let printed = false;
  const take = () => {
    const lines = stream.takeFinished(width());
    if (lines.length === 0) return;
    printed = true;
    print(lines);
  };
  return {
    begin() {
      printed = false;
    },
    push(piece: string) {
      stream.push(piece);
      take();
    },
    end() {
      stream.end();
      take();
      stream = createStream();
    },
    discard: () => stream.discard(),
    wasPrinted: () => printed,
    live: (columns: number, rows: number) => stream.live(columns, rows),
  };
}
