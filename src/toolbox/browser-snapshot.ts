import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserSnapshotTool = defineTool({
  name: 'browser_snapshot',
  toolset: 'browser',
  emoji: '📸',
  description: 'What is on the page that is open in the browser, with a ref for whatever can be used.',
  parameters: z.object({
    full: z._default(z.boolean().check(z.describe('all of a long page')), false),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run({ full }, context) {
    // Loaded when it is first used, with all that it needs.
    const { showAction } = await import('./browsing/browser-calls.ts');
    return showAction({ type: 'look' }, context, { full });
  },
});
