import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserSnapshotTool = defineBrowserTool({
  name: 'browser_snapshot',
  emoji: '📸',
  description: 'What is on the page that is open in the browser, with a ref for whatever can be used.',
  parameters: z.object({
    full: z._default(z.boolean().check(z.describe('all of a long page')), false),
  }),
  run: ({ full }, context) => showAction({ type: 'look' }, context, { full }),
});
