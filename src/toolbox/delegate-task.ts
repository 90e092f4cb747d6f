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
                'Tool sets the subagent may use: any of file, terminal, web, code_execution, browser, skills. Default: all.',
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
    'Run up to 10 independent tasks in subagents, several at a time, and return their final reports when all have finished. Subagents have your tools except those for delegating, asking the user and saving memory. They work in the same directory, so no two subagents may edit the same file. Use it for tasks that require a lot of reading when you need only the conclusion (a broad search, a review), or for independent changes in several modules. Do small tasks yourself. A subagent does not see this conversation, so put everything it needs into goal and context. You see only its final report; verify important claims.',
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
