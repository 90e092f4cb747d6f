import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserScrollTool = defineTool({
  name: 'browser_scroll',
  toolset: 'browser',
  emoji: '📜',
  description:
    'Scroll the page in the browser, for pages that load more as one goes; a snapshot shows all that is there without it.',
  parameters: z.object({
    direction: z.enum(['up', 'down']),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run({ direction }, context) {
    // Loaded when it is first used, with all that it needs.
    const { showAction } = await import('./browsing/browser-calls.ts');
    return showAction({ type: 'scroll', direction }, context);
  },
});
