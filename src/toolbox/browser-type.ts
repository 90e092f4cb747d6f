import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserTypeTool = defineBrowserTool({
  name: 'browser_type',
  emoji: '⌨️',
  description:
    'Fill a field of the page in the browser, in place of what is in it; of a list of choices, take the one with that name. {{browser_press: Enter is browser_press.}}',
  parameters: z.object({
    ref: z.string().check(z.describe('from the snapshot, e.g. e12')),
    text: z.string(),
  }),
  run: ({ ref, text }, context) => showAction({ type: 'type', ref, text }, context),
});
