import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserTypeTool = defineBrowserTool({
  name: 'browser_type',
  emoji: '⌨️',
  description:
    'Type text into a field on the browser page, replacing its content, or select the option with the given label in a drop-down list. {{browser_press: To submit, press Enter with browser_press.}}',
  parameters: z.object({
    ref: z.string().check(z.describe('Element ref from the latest snapshot, e.g. e12.')),
    text: z.string().check(z.describe('New content of the field, or label of the option to select.')),
  }),
  run: ({ ref, text }, context) => showAction({ type: 'type', ref, text }, context),
});
