import type { BackgroundProcess } from '../contracts/index.ts';
import { describeEnding } from '../processes/index.ts';
import { cutMiddle, shorten, takeEnd } from '../util/index.ts';

const DEFAULT_LINES = 200;
/** New output is a look in between; the whole of it is what log is for. */
const MAX_NEW_OUTPUT = 20_000;
const SHOWN_COMMAND = 120;
const NOTICE_ROOM = 300;

export function describeList(all: readonly BackgroundProcess[]): string {
  if (all.length === 0) return 'No background processes.';
  return all
    .map((process) => {
      const from = process.found ? ', left by an earlier run' : '';
      return `${process.id}, pid ${process.pid}${from}, ${describeEnding(process)}: ${shorten(process.command, SHOWN_COMMAND)}`;
    })
    .join('\n');
}

/** How it stands, and what it has printed since the last look. */
export function describeState(process: BackgroundProcess): string {
  const { text, dropped } = process.output.takeNew();
  const state = `${process.id} ${describeEnding(process)}.`;
  if (process.ending() !== undefined) process.noteEndingRead();
  if (text.trim() === '') return `${state} No new output.`;
  const gap = dropped > 0 ? ` ([… ${dropped} characters dropped …])` : '';
  return `${state} New output${gap}:\n${cutMiddle(text, MAX_NEW_OUTPUT).trimEnd()}`;
}

export type Page = { offset?: number | undefined; limit?: number | undefined };

/** A page of what is kept; the last one where no first line is given. */
export function describeLog(process: BackgroundProcess, { offset = 0, limit }: Page, maxCharacters: number): string {
  const droppedLines = process.output.droppedLines();
  const text = process.output.text();
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const last = droppedLines + lines.length;
  const count = Math.max(1, limit ?? DEFAULT_LINES);
  const from = Math.max(offset > 0 ? offset : last - count + 1, droppedLines + 1);
  const page = lines.slice(from - droppedLines - 1, from - droppedLines - 1 + count);
  const state = `${process.id} ${describeEnding(process)}`;
  if (last === 0) return `${state}. It has printed nothing.`;
  if (page.length === 0) return `${state}. It has no line ${from}: the last one is ${last}.`;
  const gone = droppedLines > 0 ? `, lines before ${droppedLines + 1} were dropped` : '';
  const head = `${state}. Lines ${from}-${from + page.length - 1} of ${last}${gone}:`;
  return `${head}\n${takeEnd(page.join('\n'), maxCharacters - NOTICE_ROOM)}`;
}
