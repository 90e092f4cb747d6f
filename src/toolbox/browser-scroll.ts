import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserScrollTool = defineBrowserTool({
  name: 'browser_scroll',
  emoji: '📜',
  description:
    'Scroll the browser page up or down by most of a screen. Use it only for pages that load more content while scrolling: a snapshot already covers the whole page.',
  parameters: z.object({
    direction: z.enum(['up', 'down']),
  }),
  run: ({ direction }, context) => showAction({ type: 'scroll', direction }, context),
});
