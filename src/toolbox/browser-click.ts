import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserClickTool = defineBrowserTool({
  name: 'browser_click',
  emoji: '👆',
  description: 'Click an element on the current browser page, then return a snapshot of the resulting page.',
  parameters: z.object({
    ref: z.string().check(z.describe('Element ref from the latest snapshot, e.g. e12.')),
    accept_dialog: z._default(
      z
        .boolean()
        .check(
          z.describe('Accept a confirm or prompt dialog that the click opens. By default the dialog is dismissed.'),
        ),
      false,
    ),
  }),
  run: ({ ref, accept_dialog: acceptDialog }, context) => showAction({ type: 'click', ref, acceptDialog }, context),
});
