import * as z from 'zod/mini';
import { defineBrowserTool, showAction } from './browsing/browser-calls.ts';

export const browserBackTool = defineBrowserTool({
  name: 'browser_back',
  emoji: '◀️',
  description: 'Go back to the previous page in the browser history and return a snapshot of it.',
  parameters: z.object({}),
  run: (_, context) => showAction({ type: 'back' }, context),
});
