import * as z from 'zod/mini';
import type { Concurrency } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';

export const MAX_WAIT_SECONDS = 600;

const ACTIONS = ['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close'] as const;

const parameters = z.object({
  action: z.enum(ACTIONS),
  session_id: z.optional(z.string().check(z.describe('Process id (proc_…). Required for all actions except list.'))),
  data: z.optional(z.string().check(z.describe('Text for write or submit.'))),
  timeout: z.optional(
    z
      .number()
      .check(z.describe('wait: timeout in seconds (default 180, at most 600). On timeout the process keeps running.')),
  ),
  offset: z.optional(z.int().check(z.describe('log: first line to return (1-based). Default: the last lines.'))),
  limit: z.optional(z.int().check(z.describe('log: number of lines to return (default 200).'))),
});
export type ProcessArgs = z.output<typeof parameters>;

export const processTool = defineTool({
  name: 'process',
  toolset: 'terminal',
  emoji: '⚙️',
  asksBefore: 'input to a shell that could do damage',
  description:
    'Manage background processes started with terminal. list: all processes. poll: status and output since the last poll. log: output by line range (offset, limit). wait: block until the process exits, then return its status and new output. kill: kill the process and its child processes. write: send data to stdin. submit: send data followed by Enter. close: close stdin.',
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
