import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

/** Limit per call. */
const MAX_TASKS = 10;

const parameters = z.object({
  tasks: z
    .array(
      z.object({
        goal: z.string().check(z.minLength(1), z.describe('The task as a complete instruction.')),
        context: z.optional(
          z
            .string()
            .check(
              z.describe(
                'Background the subagent needs: paths, constraints, decisions so far, and the form of the expected report.',
              ),
            ),
        ),
        toolsets: z.optional(
          z
            .array(z.string())
            .check(
              z.describe(
                'Restrict the subagent to these tool sets: file, terminal, web, code_execution, browser, skills. Default: all.',
              ),
            ),
        ),
        model: z.optional(z.string().check(z.describe('MODEL or PROVIDER/MODEL. Default: your model.'))),
        output_schema: z.optional(
          z.looseObject({}).check(z.describe('JSON Schema that the final report must satisfy.')),
        ),
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
    'Run up to 10 independent tasks in subagents, several in parallel, and return their final reports when all have finished. Subagents have most of your tools and work in the same directory, so no two may edit the same file. Use it for tasks with a lot of reading of which you need only the conclusion (a broad search, a review), or for separate changes in several modules; do small tasks yourself. A subagent does not see this conversation and cannot ask questions, so put everything it needs into goal and context. Its intermediate output is not shown to you; verify important claims.',
  parameters,
  // A barrier call has no batch deadline: subagents may run for a long time.
  concurrency: { mode: 'barrier' },
  requiredServices: ['delegation'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { delegate } = await import('./delegating/delegate.ts');
    return delegate(args, context);
  },
});
