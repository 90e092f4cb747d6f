import type { TodoItem } from '../../contracts/index.ts';
import { redactForModel, shorten } from '../../util/index.ts';

/** A list that is longer takes the room of what was said. */
const MAX_ITEMS = 30;
const ITEM_LENGTH = 200;

/** What is still to be done, in words that may stand in a replacement. */
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
