import type { RunResult } from '../../../base/index.ts';
import { unsaidAnswer } from '../output/event-note.ts';
import type { AnswerStream } from '../render/index.ts';

/** The text of a turn: what cannot change any more is printed, the rest is part of the live part. */
export interface Answer {
  /** A call begins; what came before it in the same step is the first part of an answer that is being continued. */
  begin(): void;
  write(text: string): void;
  /** What was written counts, and is printed. */
  commit(): void;
  /** Prints what is there, because something else is printed now. */
  flush(): void;
  /** Forgets the text since the last begin; true where some of it was printed already. */
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
  /** How much of it came before the call that is running. */
  let kept = 0;
  /** It does not count, and is on the screen until it is written again. */
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
      // Many models open with blank lines.
      const shown = step === '' ? piece.trimStart() : piece;
      if (shown === '') return;
      step += shown;
      text.push(shown);
    },
    commit,
    flush: () => (step === '' ? undefined : text.end()),
    discard() {
      const began = step.length > kept;
      // The part before this call counts and may not be finished; it is printed with what does not count, which is said.
      if (kept > 0 && began) text.end();
      else discarded = began;
      step = step.slice(0, kept);
      return began && text.wasPrinted();
    },
    finish(result) {
      // Nobody writes it again, and somebody was reading it.
      if (discarded) text.end();
      discarded = false;
      commit();
      const unsaid = unsaidAnswer(result, lastStep);
      if (unsaid === undefined) return;
      text.push(unsaid);
      text.end();
    },
    live: text.live,
  };
}

/** A stream whose finished lines are printed as they come; after an end another one begins. */
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
