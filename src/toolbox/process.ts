import * as z from 'zod/mini';
import type { Concurrency } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';

export const MAX_WAIT_SECONDS = 600;

const ACTIONS = ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'] as const;

const parameters = z.object({
  action: z.enum(ACTIONS),
  session_id: z.optional(z.string().check(z.describe('proc_… or its beginning; not for list'))),
  data: z.optional(z.string().check(z.describe('for write and submit'))),
  timeout: z.optional(z.number().check(z.describe(`of wait: seconds, at most ${MAX_WAIT_SECONDS}`))),
  offset: z.optional(z.int().check(z.describe('of log: first line, counted from 1'))),
  limit: z.optional(z.int().check(z.describe('of log: lines, 200 by default'))),
});
export type ProcessArgs = z.output<typeof parameters>;

export const processTool = defineTool({
  name: 'process',
  toolset: 'terminal',
  emoji: '⚙️',
  asksBefore: 'input to a shell that could do harm',
  description:
    'Look after commands that terminal started in the background: list; poll (state, new output); log (page through output); wait (until it ends); kill (with all it started); write (input as it is), submit (input and Enter), close (end of input). Not for other processes of the machine.',
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
