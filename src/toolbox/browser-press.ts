import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserPressTool = defineBrowserTool({
  name: 'browser_press',
  emoji: '⏎',
  description: 'Press a key on the focused element of the browser page. Returns a snapshot of the resulting page.',
  parameters: z.object({
    key: z.string().check(z.describe('Key name, e.g. Enter, Tab, Escape, ArrowDown, Control+A.')),
  }),
  run: ({ key }, context) => showAction({ type: 'press', key }, context),
});
