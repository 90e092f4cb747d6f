import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserPressTool = defineTool({
  name: 'browser_press',
  toolset: 'browser',
  emoji: '⏎',
  description: 'Press a key in the browser, where the cursor is.',
  parameters: z.object({
    key: z.string().check(z.describe('e.g. Enter, Tab, Escape, ArrowDown, Control+A')),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run({ key }, context) {
    // Loaded when it is first used, with all that it needs.
    const { showAction } = await import('./browsing/browser-calls.ts');
    return showAction({ type: 'press', key }, context);
  },
});
