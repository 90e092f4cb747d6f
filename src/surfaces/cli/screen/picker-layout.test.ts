import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stripAnsi } from '../../../util/index.ts';
import { textWidth } from '../../../util/text-width.ts';
import { createTheme, renderTodos, renderTodoSummary } from '../render/index.ts';
import { layOutPicker } from './picker-layout.ts';
import { filterItems } from './picker-search.ts';

const theme = createTheme({ colours: 'dark' });
const text = fc.string({ unit: 'binary', maxLength: 40 });
const optional = fc.option(text, { nil: undefined });
const item = fc
  .record({ value: text, label: text, about: optional, note: optional, detail: optional })
  .map(({ value, label, ...more }) => {
    const given = Object.entries(more).filter(([, part]) => part !== undefined);
    return { value, label, ...(Object.fromEntries(given) as Record<string, string>) };
  });
const size = fc.record({ width: fc.integer({ min: 4, max: 120 }), rows: fc.integer({ min: 2, max: 30 }) });
const widthOf = (line: string) => textWidth(stripAnsi(line).trimEnd());

it('a list fits any window, whatever its items contain, and shows the selected one', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 40 }), text, size, fc.nat(), (items, query, { width, rows }, at) => {
      const shown = filterItems(items, query.slice(0, 2));
      const selected = shown.length === 0 ? 0 : at % shown.length;
      const view = { request: { title: query, items }, query, shown, selected, top: at % 50, isLoading: at % 2 === 0 };
      const { lines, cursor, top, page } = layOutPicker(view, { width, rows, theme });
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(cursor.row).toBeLessThan(lines.length);
      expect(cursor.column).toBeLessThanOrEqual(width);
      expect(shown.length === 0 || (selected >= top && selected < top + page)).toBe(true);
    }),
  );
});

it('a task list fits any window', () => {
  const todo = fc.record({ content: text, status: fc.constantFrom('pending', 'in_progress', 'completed', 'other') });
  fc.assert(
    fc.property(fc.array(todo, { maxLength: 30 }), size, (todos, { width, rows }) => {
      const lines = [...renderTodos(todos, width, rows, theme), ...renderTodoSummary(todos, width, theme)];
      expect(lines.length).toBeLessThanOrEqual(rows + 1);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});
