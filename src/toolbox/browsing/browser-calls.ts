import { HermesError } from '../../base/index.ts';
import type { AgentBrowser, BrowserAction, BrowserCall, PageView, ToolContext } from '../../contracts/index.ts';
import {
  approveCall,
  defineTool,
  saveFullText,
  type ParameterSchema,
  ToolDenied,
  QuotingFailure,
  ToolFailure,
  type ToolSpecification,
  describeFullText,
} from '../../tools/index.ts';
import { joinTruncated, takeStart } from '../../util/index.ts';

type BrowserTool<Schema extends ParameterSchema> = Pick<
  ToolSpecification<Schema>,
  'name' | 'emoji' | 'description' | 'parameters' | 'requiredServices' | 'run'
>;

/** A tool of the `browser` toolset. Calls run one at a time, because they share one page. */
export function defineBrowserTool<Schema extends ParameterSchema>(tool: BrowserTool<Schema>) {
  return defineTool({
    toolset: 'browser',
    concurrency: { mode: 'barrier' },
    outsideText: true,
    onDemand: true,
    requiredServices: ['browser'],
    ...tool,
  });
}

/** Longest snapshot returned by default. The next step rarely needs more. */
const SHOWN_CHARACTERS = 8000;
/** Reserved for the title, the URL, the notes and the truncation notice. */
const FRAME_CHARACTERS = 3000;

const CHANGES: ReadonlySet<BrowserAction['type']> = new Set(['click', 'type', 'press']);
/** These actions barely change the page, so the result has no snapshot. */
const LEAVES_PAGE_AS_IS: ReadonlySet<BrowserAction['type']> = new Set(['type']);

/** Performs an action and returns a snapshot of the resulting page. */
export async function showAction(
  action: BrowserAction,
  context: ToolContext,
  { full = false }: { full?: boolean } = {},
): Promise<string> {
  if (CHANGES.has(action.type)) refuseInPlanMode(context);
  if (CHANGES.has(action.type) || action.type === 'navigate') await approveAction(action, context);
  const view = await useBrowser(context, (browser, call) => browser.act(action, call));
  const head = [view.title, view.url, ...view.notes.map((note) => `(${note})`)].filter((line) => line !== '');
  if (LEAVES_PAGE_AS_IS.has(action.type)) return ['Done.', ...head].join('\n');
  const room = Math.max(1000, context.maxResultCharacters - FRAME_CHARACTERS);
  return `${head.join('\n')}\n\n${await fitSnapshot(view, full ? room : Math.min(SHOWN_CHARACTERS, room), context)}`;
}

/** Truncates a long snapshot at a line break and saves the full text to a spill file. */
async function fitSnapshot({ snapshot }: PageView, limit: number, context: ToolContext): Promise<string> {
  if (snapshot === '') return '(the page is empty)';
  if (snapshot.length <= limit) return snapshot;
  const where = describeFullText(await saveFullText(snapshot, context));
  const start = takeStart(snapshot, limit);
  const head = start.slice(0, Math.max(start.lastIndexOf('\n'), limit / 2));
  return joinTruncated({ head, tail: '', omitted: snapshot.length - head.length }, where);
}

/** Returns the console messages of the page and the value of `expression`, if given. */
export async function showConsole(
  { expression, clear }: { expression?: string | undefined; clear: boolean },
  context: ToolContext,
): Promise<string> {
  if (expression !== undefined) {
    refuseInPlanMode(context);
    await approveCall({ name: 'browser_console', reads: true, asks: false, sends: true }, expression, context);
  }
  const asked = { expression, clear };
  const { messages, dropped, value } = await useBrowser(context, (browser, call) => browser.console(asked, call));
  const older = dropped === 0 ? [] : [`(${dropped} older messages were dropped)`];
  const written = messages.length === 0 ? ['No console messages.'] : [...older, ...messages];
  return [...(value === undefined ? [] : [`Value: ${value}`, '']), ...written].join('\n');
}

/** Lists the images of the page, one per line. */
export async function showImages(context: ToolContext): Promise<string> {
  const images = await useBrowser(context, (browser, call) => browser.images(call));
  if (images.length === 0) return 'The page has no images.';
  return images
    .map(({ url, text, width, height }) => `${url} (${width} × ${height})${text === '' ? '' : `: ${text}`}`)
    .join('\n');
}

/** Asks a vision model about a screenshot of the page. */
export async function askAboutPage(
  { question, annotate }: { question: string; annotate: boolean },
  context: ToolContext,
): Promise<string> {
  const { services, signal, sessionId, taskId } = context;
  const reader = services.imageDescriber;
  if (reader === undefined) throw new ToolFailure('No vision model is configured.');
  const shot = await useBrowser(context, (browser, call) => browser.screenshot({ annotate }, call));
  const { image, mediaType, title, url } = shot;
  const drawn = annotate ? ' The red labels are element refs; they are not part of the page.' : '';
  try {
    const asked = {
      question: `This is a screenshot of a web page in a browser.${drawn}\n\n${question}`,
      name: 'page.png',
    };
    const answer = await reader.describe({ ...asked, image, mediaType, signal, sessionId, taskId });
    return [title, url, '', answer].join('\n');
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown instanceof HermesError ? new QuotingFailure(`Could not analyse the page: ${thrown.message}`) : thrown;
  }
}

/** Calls the agent's browser and turns its errors into tool results. */
export async function useBrowser<Result>(
  { services, signal }: ToolContext,
  ask: (browser: AgentBrowser, call: BrowserCall) => Promise<Result>,
): Promise<Result> {
  if (services.browser === undefined) throw new ToolFailure('No browser is available here.');
  try {
    return await ask(services.browser, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof HermesError)) throw thrown;
    // A failure with a cause contains the message of that cause, which may quote a page.
    throw thrown.cause === undefined ? new ToolFailure(thrown.message) : new QuotingFailure(thrown.message);
  }
}

/** An action can send data to the page, or in its address. */
function approveAction({ type, ...details }: BrowserAction, context: ToolContext): Promise<void> {
  const tool = { name: `browser_${type}`, reads: true, asks: false, sends: true };
  return approveCall(tool, Object.values(details).join(' '), context);
}

/** Interacting with a page may place an order, send a message or delete an account. */
function refuseInPlanMode({ approvals }: ToolContext): void {
  if (approvals.planMode)
    throw new ToolDenied(
      'Plan mode is on: you can read pages, but you cannot click or type. Put the action into your plan instead.',
    );
}
