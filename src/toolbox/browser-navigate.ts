import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserNavigateTool = defineBrowserTool({
  name: 'browser_navigate',
  emoji: '🧭',
  description:
    'Open a page in a browser that runs its scripts, and see what is on it: texts, links, fields, each with a ref. {{web_extract: To read a page web_extract is faster.}}',
  parameters: z.object({
    url: z.string(),
  }),
  run: ({ url }, context) => showAction({ type: 'navigate', url }, context),
});
