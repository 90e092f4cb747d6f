import type { TodoItem } from '../../contracts/index.ts';
import { redactForModel, shorten } from '../../util/index.ts';

/** Maximum number of items; a longer list would take space from the rest of the replacement. */
const MAX_ITEMS = 30;
const ITEM_LENGTH = 200;

/** The unfinished to-do items, shortened and without secrets. */
export function openTodos(todos: readonly TodoItem[]): { id: string; text: string; isBegun: boolean }[] {
  return todos
    .filter(({ status }) => status === 'pending' || status === 'in_progress')
    .slice(0, MAX_ITEMS)
    .map(({ id, content, status }) => ({
      id,
      text: shorten(redactForModel(content), ITEM_LENGTH),
      isBegun: status === 'in_progress',
    }));
}
