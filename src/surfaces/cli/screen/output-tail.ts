import { createAnsiStripper } from '../../../util/index.ts';
import { printable } from '../style.ts';

/** The end of the output of a running call. */
export interface OutputTail {
  push(text: string): void;
  /** The last lines, at most as many as asked for, and how many came before them. */
  last(count: number): { lines: string[]; earlier: number };
}

/** More lines than any window shows. */
const MAX_LINES = 200;
const MAX_LINE_LENGTH = 1000;

export function createOutputTail(): OutputTail {
  const stripper = createAnsiStripper();
  const lines: string[] = [];
  let [line, dropped] = ['', 0];

  function finish(): void {
    lines.push(line);
    line = '';
    if (lines.length <= MAX_LINES) return;
    lines.shift();
    dropped += 1;
  }

  return {
    push(text) {
      const [first = '', ...others] = stripper.push(text).split('\n');
      line = appendTo(line, first);
      for (const other of others) {
        finish();
        line = appendTo('', other);
      }
    },
    last(count) {
      const all = [...lines, line].map(shown);
      while (all.at(-1) === '') all.pop();
      const taken = count <= 0 ? [] : all.slice(-count);
      return { lines: taken, earlier: dropped + all.length - taken.length };
    },
  };
}

function appendTo(line: string, text: string): string {
  return line.length >= MAX_LINE_LENGTH && !text.includes('\r') ? line : (line + text).slice(-MAX_LINE_LENGTH);
}

/** A progress bar writes its line again and again after a carriage return; only the last version is visible. */
function shown(line: string): string {
  const versions = line.split('\r').filter((version) => version !== '');
  return printable(versions.at(-1) ?? '').trimEnd();
}
