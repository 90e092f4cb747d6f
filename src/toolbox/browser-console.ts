import * as z from 'zod/mini';
import { defineBrowserTool, showConsole } from './browsing/browser-calls.ts';

export const browserConsoleTool = defineBrowserTool({
  name: 'browser_console',
  emoji: '🖥️',
  description:
    'Return the console messages of the current browser page, including uncaught errors. With expression, also evaluate the expression in the page and return its value.',
  parameters: z.object({
    clear: z._default(z.boolean().check(z.describe('Clear the messages after returning them.')), false),
    expression: z.optional(
      z.string().check(z.describe('JavaScript expression to evaluate in the page, e.g. document.title.')),
    ),
  }),
  run: (args, context) => showConsole(args, context),
});
