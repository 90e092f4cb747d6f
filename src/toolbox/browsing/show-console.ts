import type { ToolContext } from '../../contracts/index.ts';
import { refuseInPlanMode, useBrowser } from './use-browser.ts';

/** What the page wrote, and what an expression came to. */
export async function showConsole(
  { expression, clear }: { expression?: string | undefined; clear: boolean },
  context: ToolContext,
): Promise<string> {
  if (expression !== undefined) refuseInPlanMode(context);
  const asked = { expression, clear };
  const { messages, dropped, value } = await useBrowser(context, (browser, call) => browser.console(asked, call));
  const older = dropped === 0 ? [] : [`(${dropped} older ones are no longer there)`];
  const written = messages.length === 0 ? ['Nothing was written to the console.'] : [...older, ...messages];
  return [...(value === undefined ? [] : [`Value: ${value}`, '']), ...written].join('\n');
}
