import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

/** More than anybody would read the answers of. */
const MAX_TASKS = 10;

const parameters = z.object({
  tasks: z
    .array(
      z.object({
        goal: z.string().check(z.minLength(1)),
        context: z.optional(z.string().check(z.describe('all it must know'))),
        toolsets: z.optional(z.array(z.string()).check(z.describe('only these, e.g. file, web'))),
        model: z.optional(z.string()),
        output_schema: z.optional(z.looseObject({}).check(z.describe('JSON Schema of its answer'))),
      }),
    )
    .check(z.minLength(1), z.maxLength(MAX_TASKS)),
});

export type DelegateArguments = z.output<typeof parameters>;

export const delegateTaskTool = defineTool({
  name: 'delegate_task',
  toolset: 'delegation',
  emoji: '🤝',
  description:
    'Hand tasks to subagents that work beside each other with your tools, and get their reports. They know nothing of this conversation and cannot ask. For work that stands on its own and would fill this conversation.',
  parameters,
  // It takes as long as the work does, so it keeps to no limit of a batch.
  concurrency: { mode: 'barrier' },
  requiredServices: ['delegation'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { delegate } = await import('./delegating/delegate.ts');
    return delegate(args, context);
  },
});
