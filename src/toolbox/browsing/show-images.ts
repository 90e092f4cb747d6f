import type { ToolContext } from '../../contracts/index.ts';
import { useBrowser } from './use-browser.ts';

/** The images of the page, one in a line. */
export async function showImages(context: ToolContext): Promise<string> {
  const images = await useBrowser(context, (browser, call) => browser.images(call));
  if (images.length === 0) return 'The page has no images.';
  return images
    .map(({ url, text, width, height }) => `${url} (${width} × ${height})${text === '' ? '' : `: ${text}`}`)
    .join('\n');
}
