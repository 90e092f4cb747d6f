import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserTypeTool = defineTool({
  name: 'browser_type',
  toolset: 'browser',
  emoji: '⌨️',
  description:
    'Fill a field of the page in the browser, in place of what is in it; of a list of choices, take the one with that name. {{browser_press: Enter is browser_press.}}',
  parameters: z.object({
    ref: z.string().check(z.describe('from the snapshot, e.g. e12')),
    text: z.string(),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run({ ref, text }, context) {
    // Loaded when it is first used, with all that it needs.
    const { showAction } = await import('./browsing/browser-calls.ts');
    return showAction({ type: 'type', ref, text }, context);
  },
});
