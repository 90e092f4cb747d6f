import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserNavigateTool = defineTool({
  name: 'browser_navigate',
  toolset: 'browser',
  emoji: '🧭',
  description:
    'Open a page in a browser that runs its scripts, and see what is on it: texts, links, fields, each with a ref. {{web_extract: To read a page web_extract is faster.}}',
  parameters: z.object({
    url: z.string(),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run({ url }, context) {
    // Loaded when it is first used, with all that it needs.
    const { showAction } = await import('./browsing/browser-calls.ts');
    return showAction({ type: 'navigate', url }, context);
  },
});
