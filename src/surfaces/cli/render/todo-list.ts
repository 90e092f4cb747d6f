import { isJsonObject, parseJson } from '../../../base/index.ts';
import { fitWidth } from '../../../util/text-width.ts';
import { printable } from '../style.ts';
import type { Theme } from './theme.ts';

export type TodoLine = { content: string; status: string };

/** Parses the result of the `todo` tool; undefined if it has no list. */
export function parseTodos(content: string): TodoLine[] | undefined {
  const parsed = parseJson(content);
  const todos = isJsonObject(parsed) ? parsed['todos'] : undefined;
  if (!Array.isArray(todos)) return undefined;
  return todos
    .filter(isJsonObject)
    .flatMap(({ content: text, status }) =>
      typeof text === 'string' && typeof status === 'string' ? [{ content: text, status }] : [],
    );
}

export function isOpen({ status }: TodoLine): boolean {
  return status === 'pending' || status === 'in_progress';
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', cancelled: '–' };

/** Renders a task list in at most `rows` lines. If it is longer, the part around the current item is shown. */
export function renderTodos(todos: readonly TodoLine[], width: number, rows: number, theme: Theme): string[] {
  if (todos.length === 0 || rows < 1) return [];
  const done = todos.filter((item) => !isOpen(item)).length;
  const current = Math.max(0, todos.findIndex(isOpen));
  const room = Math.min(rows - 1, todos.length);
  const top = Math.max(0, Math.min(current - 1, todos.length - room));
  const shown = todos.slice(top, top + room);
  const hidden = todos.length - shown.length;
  const head = `Tasks ${done}/${todos.length}${hidden > 0 && room > 0 ? ` · ${hidden} more` : ''}`;
  return [theme.bold(fitWidth(head, width)), ...shown.map((item) => todoLine(item, width, theme))];
}

/** Renders the list in one line: the progress and the next item. */
export function renderTodoSummary(todos: readonly TodoLine[], width: number, theme: Theme): string[] {
  const next = todos.find(({ status }) => status === 'in_progress') ?? todos.find(isOpen);
  if (next === undefined) return [];
  const done = todos.filter((item) => !isOpen(item)).length;
  return [theme.dim(fitWidth(`▸ tasks ${done}/${todos.length} · next: ${printable(next.content)}`, width))];
}

function todoLine({ content, status }: TodoLine, width: number, theme: Theme): string {
  const text = fitWidth(`${MARKS[status] ?? '○'} ${printable(content)}`, width - 2);
  const paint = status === 'in_progress' ? theme.cyan : status === 'pending' ? (line: string) => line : theme.dim;
  return `  ${paint(text)}`;
}
