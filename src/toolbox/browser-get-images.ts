import * as z from 'zod/mini';
import { defineBrowserTool, showImages } from './browsing/browser-calls.ts';

export const browserGetImagesTool = defineBrowserTool({
  name: 'browser_get_images',
  emoji: '🖼️',
  description: 'List the images of the page in the browser: address, text and size.',
  parameters: z.object({}),
  run: (_, context) => showImages(context),
});
