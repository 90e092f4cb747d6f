import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserGetImagesTool = defineTool({
  name: 'browser_get_images',
  toolset: 'browser',
  emoji: '🖼️',
  description: 'List the images of the page in the browser: address, text and size.',
  parameters: z.object({}),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser'],
  async run(_, context) {
    // Loaded when it is first used, with all that it needs.
    const { showImages } = await import('./browsing/browser-calls.ts');
    return showImages(context);
  },
});
