import * as z from 'zod/mini';
import type { Concurrency } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';

export const MAX_WAIT_SECONDS = 600;

const ACTIONS = ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'] as const;

const parameters = z.object({
  action: z.enum(ACTIONS),
  session_id: z.optional(z.string().check(z.describe('Id that terminal returned (proc_…). Required except for list.'))),
  data: z.optional(z.string().check(z.describe('Text for write or submit.'))),
  timeout: z.optional(
    z.number().check(z.describe('wait: seconds (default 180, at most 600). After that the process keeps running.')),
  ),
  offset: z.optional(z.int().check(z.describe('log: first line, from 1. Default: the last lines.'))),
  limit: z.optional(z.int().check(z.describe('log: number of lines (default 200).'))),
});
export type ProcessArgs = z.output<typeof parameters>;

export const processTool = defineTool({
  name: 'process',
  toolset: 'terminal',
  emoji: '⚙️',
  asksBefore: 'input to a shell that could do damage',
  description:
    'Manage background processes started with terminal. list: all processes. poll: status and output since the last poll. log: output by line numbers. wait: block until it exits, then status and new output. kill: kill it with its process tree. write: send data to stdin. submit: send data and Enter. close: close stdin.',
  parameters,
  concurrency: ({ action }): Concurrency => ({ mode: READ_ONLY_ACTIONS.has(action) ? 'parallel' : 'barrier' }),
  async run(args, context) {
    const { processes } = context;
    if (processes === undefined) throw new ToolFailure('Background processes are not available here.');
    // Loaded on first use, together with its dependencies.
    const { runProcessAction } = await import('./process-actions.ts');
    return runProcessAction(await processes.list(), args, context);
  },
});

/** Read-only actions, which may run in parallel. All others run in call order. */
const READ_ONLY_ACTIONS: ReadonlySet<string> = new Set(['list', 'poll', 'log', 'wait']);
