import type { BrowserAction, PageView, ToolContext } from '../../contracts/index.ts';
import { keepWhole, whereWhole } from '../../tools/index.ts';
import { joinCut, takeStart } from '../../util/index.ts';
import { refuseInPlanMode, useBrowser } from './use-browser.ts';

/** As much of a page as is shown unasked; more than that is seldom needed for the next step. */
const SHOWN = 8000;
/** Room for title, address, notes and the notice of a cut. */
const FRAME = 3000;

const CHANGES: ReadonlySet<BrowserAction['type']> = new Set(['click', 'type', 'press']);
/** After these the page is mostly as it was: only what happened is told. */
const TELLS_LITTLE: ReadonlySet<BrowserAction['type']> = new Set(['type']);

/** Does something in the browser and shows what is on the page then. */
export async function showAction(
  action: BrowserAction,
  context: ToolContext,
  { full = false }: { full?: boolean } = {},
): Promise<string> {
  if (CHANGES.has(action.type)) refuseInPlanMode(context);
  const view = await useBrowser(context, (browser, call) => browser.act(action, call));
  const head = [view.title, view.url, ...view.notes.map((note) => `(${note})`)].filter((line) => line !== '');
  if (TELLS_LITTLE.has(action.type)) return ['Done.', ...head].join('\n');
  const room = Math.max(1000, context.maxResultCharacters - FRAME);
  return `${head.join('\n')}\n\n${await fit(view, full ? room : Math.min(SHOWN, room), context)}`;
}

/** The beginning of a page that is too long, cut between two elements. */
async function fit({ snapshot }: PageView, limit: number, context: ToolContext): Promise<string> {
  if (snapshot === '') return '(the page is empty)';
  if (snapshot.length <= limit) return snapshot;
  const where = whereWhole(await keepWhole(snapshot, context));
  const start = takeStart(snapshot, limit);
  const head = start.slice(0, Math.max(start.lastIndexOf('\n'), limit / 2));
  return joinCut({ head, tail: '', omitted: snapshot.length - head.length }, where);
}
