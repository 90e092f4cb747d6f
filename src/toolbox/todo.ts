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
    'Your task list, for work of three or more steps. todos sets it (merge: changes or adds items by id); a call without todos reads it. Keep one item in_progress.',
  parameters: z.object({
    todos: z.optional(z.array(z.object({ id: z.string(), content: z.string(), status: z.enum(STATUSES) }))),
    merge: z._default(z.boolean(), false),
  }),
  // It changes the agent's state, so it never runs beside anything.
  concurrency: { mode: 'barrier' },
  async run({ todos, merge }, context) {
    const agent = requireAgent(context, 'todo');
    if (todos) agent.todos = combine(merge ? agent.todos : [], todos);
    return { todos: agent.todos, summary: summarise(agent.todos) };
  },
});

/** Later items replace earlier ones of the same id, in the place of the first. */
function combine(existing: readonly TodoItem[], changes: readonly TodoItem[]): TodoItem[] {
  const items = new Map(existing.map((item) => [item.id, item]));
  for (const { id, content, status } of changes)
    items.set(id, { id, content: takeStart(content, MAX_CONTENT), status });
  if (items.size > MAX_ITEMS)
    throw new ToolFailure(`A list has at most ${MAX_ITEMS} items; this would be ${items.size}.`);
  return [...items.values()];
}

/** Counts, so that the model need not count. */
function summarise(todos: readonly TodoItem[]): Record<string, number> {
  const counts = STATUSES.map((status) => [status, todos.filter((item) => item.status === status).length]);
  return { total: todos.length, ...Object.fromEntries(counts) };
}
