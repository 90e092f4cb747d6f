import { duration, renderStatusLine, renderTodos, renderTodoSummary, type Theme } from '../render/index.ts';
import { printable } from '../style.ts';
import type { CursorPosition, LivePart } from './canvas.ts';
import type { ScreenState } from './screen-state.ts';
import { fitLine } from './width.ts';

/** From this height on, blank lines separate the parts. */
const ROWS_WITH_GAPS = 10;
const SMALL_WINDOW_ROWS = 6;
const MAX_QUEUE_LINES = 5;
/** The share of the window that a list takes. */
const PICKER_SHARE = 2 / 3;
const MIN_PICKER_ROWS = 8;

/**
 * Lays out the live part: the turn, a question, the input with everything that belongs to it. The turn gets the rows
 * that the other parts leave free.
 */
export function composeLive(screen: ScreenState): LivePart {
  const { device, questions, rhythm } = screen;
  const [columns, rows] = [device.columns, device.rows];
  const input = questions.panel() === undefined ? drawInput(screen, columns, rows) : undefined;
  const bar = drawBar(screen, { columns, rows, hasInput: input !== undefined });
  const gap = rows >= ROWS_WITH_GAPS ? [''] : [];
  // With the gaps above the question and above the bar.
  const room = rows - 1 - bar.length - (input?.lines.length ?? 0) - 2 * gap.length;
  const question = questions.render(columns, room);
  const turn = screen.turn?.render(columns, Math.max(0, room - question.length)) ?? [];
  const parts = [turn, question, [...bar, ...(input?.lines ?? [])]];
  let needsGap = rhythm.needsGap();
  // The turn itself follows the printed text with the gap that its first line needs.
  const lines: string[] = [];
  let top = 0;
  for (const [index, part] of parts.entries()) {
    if (part.length === 0) continue;
    if (needsGap && index > 0) lines.push(...gap);
    top = lines.length;
    lines.push(...part);
    needsGap = true;
  }
  const cursor = input && { row: top + bar.length + input.cursor.row, column: input.cursor.column };
  return { lines, cursor };
}

/** What is drawn directly above the input: tasks, jobs, queued messages and the status line. */
function drawBar(
  screen: ScreenState,
  { columns, rows, hasInput }: { columns: number; rows: number; hasInput: boolean },
): string[] {
  const { picker, questions, theme, turn } = screen;
  // A list needs the room; only a running turn stays visible.
  if (picker !== undefined && turn === undefined) return [];
  const status = { ...screen.status.view(), ...(questions.takesEscape() && { escAnswers: true }) };
  // In a small window an approval needs all rows.
  const isCrowded = !hasInput && rows <= SMALL_WINDOW_ROWS;
  const hasStatus = Object.keys(status).length > 0 && !isCrowded;
  const around =
    hasInput && picker === undefined && rows >= ROWS_WITH_GAPS
      ? [...drawTodos(screen, columns, rows), ...drawJobs(screen, columns)]
      : [];
  const line = hasStatus ? [renderStatusLine(status, columns, theme)] : [];
  return [...around, ...drawQueue(screen, columns, theme), ...line];
}

/** The share of the window that the tasks take during a turn. */
const TODO_SHARE = 1 / 3;

/** The task list; between turns, only what is next. */
function drawTodos({ todos, turn, theme }: ScreenState, columns: number, rows: number): string[] {
  if (turn === undefined) return renderTodoSummary(todos, columns, theme);
  const list = renderTodos(todos, columns, Math.floor(rows * TODO_SHARE), theme);
  return list.length === 0 ? [] : [...list, ''];
}

const MAX_JOBS = 4;

function drawJobs({ jobs, theme }: ScreenState, columns: number): string[] {
  const lines = jobs.slice(0, MAX_JOBS).map(({ id, title, startedAt }) => {
    const end = `  ${duration(Math.max(0, Math.floor((Date.now() - startedAt) / 1000)))}`;
    const head = `◷ ${id}  ${printable(title).replace(/\s+/g, ' ').trim()}`;
    return theme.dim(fitLine(head, Math.max(1, columns - end.length)) + end);
  });
  const more = jobs.length - MAX_JOBS;
  return more > 0 ? [...lines, theme.dim(`  … ${more} more: /jobs`)] : lines;
}

function drawInput(screen: ScreenState, columns: number, rows: number): { lines: string[]; cursor: CursorPosition } {
  const { search, picker, theme, questions } = screen;
  const room = Math.min(rows - 1, Math.max(MIN_PICKER_ROWS, Math.floor(rows * PICKER_SHARE)));
  if (questions.request() === undefined && picker !== undefined) return picker.render(columns, room, theme);
  return search?.render(columns, theme) ?? screen.input.render(columns, labelOf(screen));
}

function labelOf({ label, questions, theme }: ScreenState): string {
  const asked = questions.label();
  if (asked !== undefined) return theme.cyan(asked);
  return label === '' ? theme.cyan('❯ ') : label;
}

function drawQueue({ steered, waiting }: ScreenState, columns: number, theme: Theme): string[] {
  const oneLine = (marker: string, text: string) =>
    theme.dim(fitLine(`${marker} ${printable(text).replace(/\s+/g, ' ').trim()}`, columns));
  const lines = [
    ...steered.map((text) => oneLine('↪ next step:', text)),
    ...waiting.filter((text) => text.trim() !== '').map((text) => oneLine('» queued (↑ to edit):', text)),
  ];
  const more = lines.length - MAX_QUEUE_LINES;
  return more > 0 ? [...lines.slice(0, MAX_QUEUE_LINES), theme.dim(`  … ${more} more`)] : lines;
}
