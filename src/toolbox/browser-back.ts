import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserBackTool = defineTool({
  name: 'browser_back',
  toolset: 'browser',
  emoji: '◀️',
  description: 'Go back to the page before in the browser.',
  parameters: z.object({}),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run(_, context) {
    // Loaded when it is first used, with all that it needs.
    const { showAction } = await import('./browsing/browser-calls.ts');
    return showAction({ type: 'back' }, context);
  },
});
