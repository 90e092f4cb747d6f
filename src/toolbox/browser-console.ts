import * as z from 'zod/mini';
import { defineBrowserTool, showConsole } from './browsing/browser-calls.ts';

export const browserConsoleTool = defineBrowserTool({
  name: 'browser_console',
  emoji: '🖥️',
  description:
    'What the page in the browser wrote to its console, errors included; or run JavaScript in the page and get its value.',
  parameters: z.object({
    clear: z._default(z.boolean(), false),
    expression: z.optional(z.string().check(z.describe('JavaScript, e.g. document.title'))),
  }),
  run: (args, context) => showConsole(args, context),
});
