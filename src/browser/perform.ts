/// <reference lib="dom" />
import type { Locator, Page, Request, Response } from 'playwright-core';
import { errorMessage } from '../base/index.ts';
import type { BrowserAction, PageView } from '../contracts/index.ts';
import type { TabCall } from './agent-browser.ts';
import { BrowserFailure } from './browser-failure.ts';
import { NO_SUCH_REF } from './explain-fault.ts';
import { viewPage } from './page-view.ts';
import { REFUSED_HEADER } from './proxy.ts';

/** How long to wait for an element to become actionable. */
const ACTION_MS = 10_000;
/** How long to wait for an option of a list. It is short, because options are usually present from the start. */
const CHOICE_MS = 2000;
/** How long an action may take to trigger navigation or requests. */
const BEGINS_MS = 150;
/** How long to wait for pending requests; a page that never stops fetching is not waited for. */
const FETCH_MS = 2000;
/** Share of the call's timeout that may be spent on loading. The rest is for reading a page that has not finished. */
const LOADING_SHARE = 0.7;
/**
 * How long to wait for the rest of a page: `LOAD_MS` for images and advertisements, then `QUIET_MS` for scripts that
 * fetch content.
 */
const LOAD_MS = 5000;
const QUIET_MS = 1500;

type Action<Type extends BrowserAction['type']> = Extract<BrowserAction, { type: Type }>;

/** Performs an action, waits for its effects, and returns a snapshot. */
export async function perform(action: BrowserAction, call: TabCall): Promise<PageView> {
  const notes = await act(action, call);
  return viewPage(call, notes);
}

async function act(action: BrowserAction, call: TabCall): Promise<string[]> {
  const { tab, signal } = call;
  const page = tab.page();
  tab.begin(action.type === 'click' && action.acceptDialog);
  switch (action.type) {
    case 'navigate':
      return openPage(action.url, call);
    case 'look':
      return [];
    case 'back':
      return goBack(page, call);
    case 'click':
      return waitForEffects(call, async () => (await find(page, action.ref)).click({ timeout: ACTION_MS, signal }));
    case 'type':
      return waitForEffects(call, async () => type(await find(page, action.ref), action, signal));
    case 'press':
      return waitForEffects(call, () => page.keyboard.press(action.key));
    case 'scroll':
      return scroll(page, action, call);
  }
}

async function find(page: Page, ref: string): Promise<Locator> {
  // Some models copy the notation of the snapshot.
  const name = /^(?:@|\[?ref=)?((?:f\d+)?e\d+)\]?$/.exec(ref.trim())?.[1];
  if (name === undefined) throw new BrowserFailure('Invalid ref. Use the value of [ref=…] in a snapshot, such as e12.');
  const found = page.locator(`aria-ref=${name}`);
  // Without this check, Playwright would wait for the element to appear.
  if ((await found.count()) === 0) throw new BrowserFailure(NO_SUCH_REF);
  return found;
}

/** Replaces the content of a field, or selects the option with that label. */
async function type(field: Locator, { text }: Action<'type'>, signal: AbortSignal): Promise<void> {
  try {
    await field.fill(text, { timeout: ACTION_MS, signal });
  } catch (thrown) {
    if (!errorMessage(thrown).includes('not an <input>')) throw thrown;
    await field.selectOption({ label: text }, { timeout: CHOICE_MS, signal });
  }
}

async function goBack(page: Page, call: TabCall): Promise<string[]> {
  const before = page.url();
  await page.goBack({ waitUntil: 'commit', signal: call.signal });
  if (page.url() === before) throw new BrowserFailure('There is no previous page.');
  return settle(page, call);
}

/** Scrolls whatever is in the middle of the page, including nested scroll areas. */
async function scroll(page: Page, { direction }: Action<'scroll'>, call: TabCall): Promise<string[]> {
  const [width, height] = await page.evaluate(() => [innerWidth, innerHeight]);
  await page.mouse.move((width ?? 0) / 2, (height ?? 0) / 2);
  const distance = (height ?? 0) * 0.8 * (direction === 'down' ? 1 : -1);
  const notes = await waitForEffects(call, () => page.mouse.wheel(0, distance));
  const location = await page.evaluate(
    () => `${Math.round(scrollY)} to ${Math.round(scrollY + innerHeight)} of ${document.documentElement.scrollHeight}`,
  );
  return [`Visible: pixels ${location}.`, ...notes];
}

/** Performs an action and waits for the navigation or the requests it triggers. */
async function waitForEffects({ tab, ...call }: TabCall, action: () => Promise<unknown>): Promise<string[]> {
  const page = tab.page();
  const context = page.context();
  const pending = new Set<Request>();
  let navigates = false;
  let quiet = () => {};
  const begin = (request: Request) => {
    pending.add(request);
    navigates ||= request.isNavigationRequest();
  };
  const end = (request: Request) => {
    pending.delete(request);
    if (pending.size === 0) quiet();
  };
  context.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  try {
    await action();
    await pause(BEGINS_MS, call.signal);
    const current = tab.page();
    if (navigates || current !== page) return await settle(current, { tab, ...call });
    const settled = new Promise<void>((resolve) => (quiet = resolve));
    if (pending.size > 0) await Promise.race([settled, pause(FETCH_MS, call.signal)]);
    return [];
  } finally {
    context.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  }
}

/** Waits in real time, not by the injected clock, because the browser runs in real time. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { setTimeout } = await import('node:timers/promises');
  await setTimeout(milliseconds, undefined, { signal, ref: false });
}

/** Opens an address and closes all other pages: the model sees one page. */
async function openPage(url: string, call: TabCall): Promise<string[]> {
  const { tab, signal } = call;
  await tab.guard.admit(url);
  await tab.closeOthers();
  tab.guard.takeRefusals();
  const page = tab.page();
  let response: Response | null;
  try {
    response = await page.goto(url, { waitUntil: 'commit', timeout: loadingTime(call), signal });
    if (response?.headers()[REFUSED_HEADER] !== undefined) throw new BrowserFailure('The address was blocked.');
  } catch (thrown) {
    signal.throwIfAborted();
    await tab.guard.settled();
    const failure = openFailure(thrown, tab.guard.takeRefusals());
    // The browser may still be loading its error page, which would interfere with the next navigation.
    await tab.renew();
    throw failure;
  }
  const status = response?.status() ?? 200;
  const notes = status < 400 ? [] : [`The server returned status ${status}.`];
  return [...notes, ...(await settle(page, call))];
}

function loadingTime({ deadline }: TabCall): number {
  return Math.max(1000, (deadline - Date.now()) * LOADING_SHARE);
}

/** A request that the guard refused is the real reason, whatever error the browser reports. */
function openFailure(thrown: unknown, refusals: readonly string[]): unknown {
  if (refusals.length > 0) return new BrowserFailure(refusals.join(' '), { cause: thrown });
  if (/Timeout .* exceeded/.test(errorMessage(thrown))) return new BrowserFailure('The server timed out.');
  return thrown;
}

/** Waits until a page has loaded. A page that never finishes is read as it is. */
async function settle(page: Page, call: TabCall): Promise<string[]> {
  const { signal } = call;
  const reached = async (state: 'domcontentloaded' | 'load' | 'networkidle', timeout: number) => {
    try {
      await page.waitForLoadState(state, { timeout, signal });
      return true;
    } catch (thrown) {
      signal.throwIfAborted();
      if (!/Timeout/.test(errorMessage(thrown))) throw thrown;
      return false;
    }
  };
  const there = await reached('domcontentloaded', loadingTime(call));
  if (there && (await reached('load', LOAD_MS))) await reached('networkidle', QUIET_MS);
  await rejectForbiddenAddress(page, call);
  return there ? [] : ['The page has not finished loading; this is its current state.'];
}

/** A browser that does not use our proxy may have followed a redirect to a forbidden address. */
async function rejectForbiddenAddress(page: Page, { tab }: TabCall): Promise<void> {
  if (!/^https?:/.test(page.url())) return;
  try {
    await tab.guard.check(page.url());
  } catch (thrown) {
    await tab.renew();
    throw thrown;
  }
}
