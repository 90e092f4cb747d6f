import { HermesError } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { useBrowser } from './use-browser.ts';

/** Has a model that sees look at the page, and answers with what it says. */
export async function askAboutPage(
  { question, annotate }: { question: string; annotate: boolean },
  context: ToolContext,
): Promise<string> {
  const { services, signal, sessionId, taskId } = context;
  const reader = services.imageReader;
  if (reader === undefined) throw new ToolFailure('There is no model that could be asked about images.');
  const shot = await useBrowser(context, (browser, call) => browser.screenshot({ annotate }, call));
  const { image, mediaType, title, url } = shot;
  const drawn = annotate ? ' Red labels in it are the refs of elements; they are not part of the page.' : '';
  try {
    const asked = { question: `A web page in a browser.${drawn}\n\n${question}`, name: 'page.png' };
    const answer = await reader.describe({ ...asked, image, mediaType, signal, sessionId, taskId });
    return [title, url, '', answer].join('\n');
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown instanceof HermesError ? new ToolFailure(`The page was not looked at: ${thrown.message}`) : thrown;
  }
}
