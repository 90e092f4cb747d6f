import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserScrollTool = defineBrowserTool({
  name: 'browser_scroll',
  emoji: '📜',
  description:
    'Scroll the page in the browser, for pages that load more as one goes; a snapshot shows all that is there without it.',
  parameters: z.object({
    direction: z.enum(['up', 'down']),
  }),
  run: ({ direction }, context) => showAction({ type: 'scroll', direction }, context),
});
