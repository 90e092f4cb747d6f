import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserClickTool = defineBrowserTool({
  name: 'browser_click',
  emoji: '👆',
  description: 'Click an element of the page in the browser.',
  parameters: z.object({
    ref: z.string().check(z.describe('from the snapshot, e.g. e12')),
    accept_dialog: z._default(z.boolean().check(z.describe('say yes where the page asks back')), false),
  }),
  run: ({ ref, accept_dialog: acceptDialog }, context) => showAction({ type: 'click', ref, acceptDialog }, context),
});
