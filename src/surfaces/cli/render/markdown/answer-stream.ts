import type { Theme } from '../theme.ts';
import { type Blocks, copyBlocks, startBlocks } from './block-state.ts';
import { continueLine, endBlocks, endLongLine, processLine } from './blocks.ts';
import { MAX_CODE_LINE_LENGTH } from './code-block.ts';
import { createBlockWriter, type BlockWriter } from './block-writer.ts';

/**
 * Renders one answer while it streams. The finished lines do not depend on how the text is split into deltas, because
 * each line depends only on the text before it. Only the unfinished part is parsed again, so the cost per delta does
 * not grow with the length of the answer.
 */
export interface AnswerStream {
  push(delta: string): void;
  /** Returns lines that are final and were not returned before. */
  takeFinished(width: number): string[];
  /** Returns the part that may still change; only its last `rows` lines. */
  live(width: number, rows: number): string[];
  /** Finishes the answer. After the finished lines are taken, another answer can start. */
  end(): void;
  /** Discards everything that was not taken. */
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
    const sheet = createBlockWriter(theme, width, (line) => finished.push(line));
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

/** Renders the unfinished part as if the answer ended here. */
function openLines(reader: Reader, waiting: string, theme: Theme, width: number): string[] {
  const lines: string[] = [];
  const sheet = createBlockWriter(theme, width, (line) => lines.push(line));
  const copy = { blocks: copyBlocks(reader.blocks), inLine: reader.inLine };
  readLines(copy, waiting, true, sheet);
  endBlocks(copy.blocks, sheet);
  return lines;
}

/** The number of characters needed to recognise the kind of a line; a longer line can only be text. */
const MAX_OPENING_LENGTH = 200;
/** Table rows are buffered longer, because only complete rows can be drawn. */
const MAX_ROW_LENGTH = 4000;

type Reader = { blocks: Blocks; inLine: boolean };

/** Processes all complete lines and returns the text that has to wait for more. */
function readLines(reader: Reader, text: string, ended: boolean, sheet: BlockWriter): string {
  const { blocks } = reader;
  let at = 0;
  while (at < text.length) {
    if (reader.inLine) {
      at = continueLongLine(reader, text, at, sheet);
      continue;
    }
    const most = openingLength(blocks, text, at);
    const end = text.slice(at, at + most + 1).indexOf('\n');
    if (end >= 0) {
      processLine(blocks, text.slice(at, at + end), true, sheet);
      at += end + 1;
    } else if (text.length - at > most) {
      processLine(blocks, text.slice(at, at + most), false, sheet);
      reader.inLine = true;
      at += most;
    } else if (ended) {
      processLine(blocks, text.slice(at), true, sheet);
      at = text.length;
    } else break;
  }
  return text.slice(at);
}

function continueLongLine(reader: Reader, text: string, at: number, sheet: BlockWriter): number {
  const end = text.indexOf('\n', at);
  continueLine(reader.blocks, text.slice(at, end < 0 ? undefined : end), sheet);
  if (end < 0) return text.length;
  endLongLine(reader.blocks, sheet);
  reader.inLine = false;
  return end + 1;
}

/**
 * How much of a line is buffered before it is processed. This depends only on the start of the line, so it does not
 * depend on the deltas.
 */
function openingLength({ leaf }: Blocks, text: string, at: number): number {
  if (leaf?.kind === 'code') return MAX_CODE_LINE_LENGTH;
  const mayBeRow = leaf?.kind === 'table' || /^[\s>*+\-\d.)]*\|/.test(text.slice(at, at + MAX_OPENING_LENGTH));
  return mayBeRow ? MAX_ROW_LENGTH : MAX_OPENING_LENGTH;
}
