import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserNavigateTool = defineBrowserTool({
  name: 'browser_navigate',
  emoji: '🧭',
  description:
    'Open a URL in a real browser that runs JavaScript, and return a snapshot of the page: its text, links, buttons and fields, each interactive element with a ref for the other browser tools. {{web_extract: If you only need to read a page, use web_extract, which is faster.}}',
  parameters: z.object({
    url: z.string().check(z.describe('Absolute http or https URL.')),
  }),
  run: ({ url }, context) => showAction({ type: 'navigate', url }, context),
});
