import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  code: z.string().check(z.minLength(1)),
  language: z._default(
    z
      .enum(['auto', 'javascript', 'python'])
      .check(z.describe('auto (default) detects the language. javascript includes TypeScript.')),
    'auto',
  ),
});

export type CodeArguments = z.output<typeof parameters>;

export const executeCodeTool = defineTool({
  name: 'execute_code',
  toolset: 'code_execution',
  emoji: '🐍',
  // Keep the names in sync with REACHABLE in coding/tool-server.ts.
  description:
    'Run a script that can call these tools: {{read_file: read_file,}} {{write_file: write_file,}} {{patch: patch,}} {{search_files: search_files,}} {{terminal: terminal,}} {{web_search: web_search,}} {{web_extract: web_extract,}}. Returns only what the script prints (stdout and stderr, up to 50,000 characters). Use it for loops over many files or calls and to filter large results; if you need only one or two calls, call the tools directly instead. JavaScript and TypeScript: const result = await tools.NAME({ ... }). Python: from hermes_tools import NAME; result = NAME(parameter=...). Each call returns the same string as a direct call, except that file content has no line numbers. A failed call throws an exception; a command that exits with a non-zero code does not. Limits: 300 s and 50 tool calls. Nothing persists between scripts.',
  parameters,
  // The source does not say which files a script touches, so nothing runs in parallel with it.
  concurrency: { mode: 'barrier' },
  freeIteration: true,
  requiredServices: ['code'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { runCode } = await import('./coding/run-code.ts');
    return runCode(args, context);
  },
});
