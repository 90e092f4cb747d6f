import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserConsoleTool = defineTool({
  name: 'browser_console',
  toolset: 'browser',
  emoji: '🖥️',
  description:
    'What the page in the browser wrote to its console, errors included; or run JavaScript in the page and get its value.',
  parameters: z.object({
    clear: z._default(z.boolean(), false),
    expression: z.optional(z.string().check(z.describe('JavaScript, e.g. document.title'))),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { showConsole } = await import('./browsing/browser-calls.ts');
    return showConsole(args, context);
  },
});
