import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserClickTool = defineTool({
  name: 'browser_click',
  toolset: 'browser',
  emoji: '👆',
  description: 'Click an element of the page in the browser.',
  parameters: z.object({
    ref: z.string().check(z.describe('from the snapshot, e.g. e12')),
    accept_dialog: z._default(z.boolean().check(z.describe('say yes where the page asks back')), false),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run({ ref, accept_dialog: acceptDialog }, context) {
    // Loaded when it is first used, with all that it needs.
    const { showAction } = await import('./browsing/browser-calls.ts');
    return showAction({ type: 'click', ref, acceptDialog }, context);
  },
});
