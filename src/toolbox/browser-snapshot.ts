import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserSnapshotTool = defineBrowserTool({
  name: 'browser_snapshot',
  emoji: '📸',
  description:
    'Return the current browser page as text, with a ref for every interactive element. Long pages are truncated after 8,000 characters; the full snapshot is saved to a file named in the result.',
  parameters: z.object({
    full: z._default(z.boolean().check(z.describe('Return the complete snapshot, even if the page is long.')), false),
  }),
  run: ({ full }, context) => showAction({ type: 'look' }, context, { full }),
});
