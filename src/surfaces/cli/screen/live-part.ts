import { renderStatusLine, type StatusView, type Theme } from '../render/index.ts';
import { showable } from '../style.ts';
import type { CursorPlace, Live } from './canvas.ts';
import { fitLine } from './width.ts';

/** All that the live part shows, from top to bottom. */
export type LiveState = {
  /** The turn: the end of the answer, and the calls that run. */
  turn(width: number, rows: number): string[];
  /** What was handed to the turn and is not read yet. */
  steered: readonly string[];
  /** What waits for the end of the turn. */
  waiting: readonly string[];
  question(width: number, rows: number): string[];
  status: StatusView;
  /** Hidden while single keys answer a question. */
  input: { lines: readonly string[]; cursor: CursorPlace } | undefined;
};

const MOST_LINES_OF_QUEUE = 5;
const SMALL_WINDOW = 6;

/** The lines of the live part. The turn gets the room that the rest leaves. */
export function layOutLive(state: LiveState, { columns, rows }: { columns: number; rows: number }, theme: Theme): Live {
  const queue = drawQueue(state, columns, theme);
  const hasStatus = Object.keys(state.status).length > 0;
  // A question that single keys answer needs what little room there is.
  const isCrowded = state.input === undefined && rows <= SMALL_WINDOW;
  const status = hasStatus && !isCrowded ? [renderStatusLine(state.status, columns, theme)] : [];
  const input = state.input?.lines ?? [];
  const room = rows - 1 - queue.length - status.length - input.length;
  const question = state.question(columns, room);
  const turn = state.turn(columns, Math.max(0, room - question.length));
  const above = [...turn, ...question, ...queue, ...status];
  const cursor = state.input && { row: above.length + state.input.cursor.row, column: state.input.cursor.column };
  return { lines: [...above, ...input], cursor };
}

function drawQueue({ steered, waiting }: LiveState, columns: number, theme: Theme): string[] {
  const oneLine = (mark: string, text: string) =>
    theme.dim(fitLine(`${mark} ${showable(text).replace(/\s+/g, ' ').trim()}`, columns));
  const lines = [
    ...steered.map((text) => oneLine('↪ for its next step:', text)),
    ...waiting.map((text) => oneLine('» after this turn (↑ edits):', text)),
  ];
  const more = lines.length - MOST_LINES_OF_QUEUE;
  return more > 0 ? [...lines.slice(0, MOST_LINES_OF_QUEUE), theme.dim(`  … ${more} more`)] : lines;
}
