import * as z from 'zod/mini';
import type { TodoItem, TodoStatus } from '../contracts/index.ts';
import { defineTool, requireAgent, ToolFailure } from '../tools/index.ts';
import { takeStart } from '../util/index.ts';

const STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const satisfies readonly TodoStatus[];
const MAX_ITEMS = 256;
const MAX_CONTENT = 4000;

export const todoTool = defineTool({
  name: 'todo',
  toolset: 'todo',
  emoji: '📋',
  description:
    'Your task list for work of three or more steps, shown to the user. Pass todos to replace the list; omit todos to return the current list. Keep exactly one item in_progress, and mark an item completed as soon as it is done.',
  parameters: z.object({
    todos: z.optional(
      z
        .array(z.object({ id: z.string(), content: z.string(), status: z.enum(STATUSES) }))
        .check(z.describe('The whole list, or, with merge: true, only the items to change or add.')),
    ),
    merge: z._default(z.boolean().check(z.describe('Change or add items by id instead of replacing the list.')), false),
  }),
  // Runs alone, because it changes the state of the agent.
  concurrency: { mode: 'barrier' },
  async run({ todos, merge }, context) {
    const agent = requireAgent(context, 'todo');
    if (todos) agent.todos = combine(merge ? agent.todos : [], todos);
    return { todos: agent.todos, summary: summarise(agent.todos) };
  },
});

/** A changed item keeps its position; new ones are appended. */
function combine(existing: readonly TodoItem[], changes: readonly TodoItem[]): TodoItem[] {
  const items = new Map(existing.map((item) => [item.id, item]));
  for (const { id, content, status } of changes)
    items.set(id, { id, content: takeStart(content, MAX_CONTENT), status });
  if (items.size > MAX_ITEMS)
    throw new ToolFailure(
      `The list would have ${items.size} items, which exceeds the maximum of ${MAX_ITEMS}. Nothing was changed.`,
    );
  return [...items.values()];
}

/** Counts per status, so that the model need not count. */
function summarise(todos: readonly TodoItem[]): Record<string, number> {
  const counts = STATUSES.map((status) => [status, todos.filter((item) => item.status === status).length]);
  return { total: todos.length, ...Object.fromEntries(counts) };
}
