import * as z from 'zod/mini';
import { defineBrowserTool, showImages } from './browsing/browser-calls.ts';

export const browserGetImagesTool = defineBrowserTool({
  name: 'browser_get_images',
  emoji: '🖼️',
  description: 'List the images of the current browser page with URL, alt text and size in pixels (at most 200).',
  parameters: z.object({}),
  run: (_, context) => showImages(context),
});
