import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  code: z.string().check(z.minLength(1)),
  language: z._default(z.enum(['auto', 'javascript', 'python']), 'auto'),
});

export type CodeArguments = z.output<typeof parameters>;

export const executeCodeTool = defineTool({
  name: 'execute_code',
  toolset: 'code_execution',
  emoji: '🐍',
  // The names are those of REACHABLE in coding/run-code.ts.
  description:
    'Run a script that calls tools, for many calls or results to be filtered; you see only what it prints. JavaScript, TypeScript: await tools.NAME({…}); Python: from hermes_tools import NAME. Results are text, failures throw. NAME: {{read_file: read_file}} {{write_file: write_file}} {{patch: patch}} {{search_files: search_files}} {{terminal: terminal}} {{web_search: web_search}} {{web_extract: web_extract}}',
  parameters,
  // The source does not say which files a script touches, so nothing runs in parallel with it.
  concurrency: { mode: 'barrier' },
  freeIteration: true,
  requiredServices: ['code'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { runCode } = await import('./coding/run-code.ts');
    return runCode(args, context);
  },
});
