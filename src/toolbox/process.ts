import * as z from 'zod/mini';
import type { Concurrency } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';

export const MAX_WAIT_SECONDS = 600;

const ACTIONS = ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'] as const;

const parameters = z.object({
  action: z.enum(ACTIONS),
  session_id: z.optional(z.string().check(z.describe('proc_…'))),
  data: z.optional(z.string().check(z.describe('for write, submit'))),
  timeout: z.optional(z.number().check(z.describe('wait: seconds'))),
  offset: z.optional(z.int().check(z.describe('log: first line, from 1'))),
  limit: z.optional(z.int().check(z.describe('log: lines'))),
});
export type ProcessArgs = z.output<typeof parameters>;

export const processTool = defineTool({
  name: 'process',
  toolset: 'terminal',
  emoji: '⚙️',
  asksBefore: 'input to a shell that could do harm',
  description:
    'Background commands of terminal: list, poll (state, new output), log (its output), wait, kill, write (raw input), submit (input and Enter), close (end of input).',
  parameters,
  concurrency: ({ action }): Concurrency => ({ mode: LOOKING.has(action) ? 'parallel' : 'barrier' }),
  async run(args, context) {
    const { processes } = context;
    if (processes === undefined) throw new ToolFailure('Nothing runs in the background here.');
    // Loaded when it is first used, with all that it needs.
    const { actOn } = await import('./process-actions.ts');
    return actOn(await processes.list(), args, context);
  },
});

/** What only looks may run beside anything; what acts keeps the order of the calls. */
const LOOKING: ReadonlySet<string> = new Set(['list', 'poll', 'log', 'wait']);
