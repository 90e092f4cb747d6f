import type { Page, Response } from 'playwright-core';
import { errorMessage } from '../base/index.ts';
import type { TabCall } from './agent-browser.ts';
import { BrowserFailure } from './browser-failure.ts';
import { REFUSED_HEADER } from './proxy.ts';

/** Of the time of a call: what is left is for looking at a page that has not finished. */
const LOADING_SHARE = 0.7;
/** Images and advertisements are waited for so long, and then scripts that fetch what is shown. */
const LOAD_MS = 5000;
const QUIET_MS = 1500;

/** Opens an address. What else was open is closed: one page is what a model sees. */
export async function openPage(url: string, call: TabCall): Promise<string[]> {
  const { tab, signal } = call;
  await tab.guard.admit(url);
  await tab.closeOthers();
  tab.guard.takeRefusals();
  const page = tab.page();
  let response: Response | null;
  try {
    response = await page.goto(url, { waitUntil: 'commit', timeout: loadingTime(call), signal });
    if (response?.headers()[REFUSED_HEADER] !== undefined) throw new BrowserFailure('The address was refused.');
  } catch (thrown) {
    signal.throwIfAborted();
    await tab.guard.settled();
    const failure = openFailure(thrown, tab.guard.takeRefusals());
    // The browser may still be busy with its page about the failure, and would get in the way of the next one.
    await tab.renew();
    throw failure;
  }
  const status = response?.status() ?? 200;
  const notes = status < 400 ? [] : [`The server answered with status ${status}.`];
  return [...notes, ...(await settle(page, call))];
}

function loadingTime({ deadline }: TabCall): number {
  return Math.max(1000, (deadline - Date.now()) * LOADING_SHARE);
}

/** What was refused on the way is the reason, whatever the browser makes of it. */
function openFailure(thrown: unknown, refusals: readonly string[]): unknown {
  if (refusals.length > 0) return new BrowserFailure(refusals.join(' '), { cause: thrown });
  if (/Timeout .* exceeded/.test(errorMessage(thrown))) return new BrowserFailure('The server did not answer in time.');
  return thrown;
}

/** Waits until a page is there, as far as it ever is. What never finishes is looked at as it is. */
export async function settle(page: Page, call: TabCall): Promise<string[]> {
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
  await refuseForbidden(page, call);
  return there ? [] : ['The page has not finished loading; this is what there is of it so far.'];
}

/** A browser that is not led through our proxy may have followed a redirect to where no page may come from. */
async function refuseForbidden(page: Page, { tab }: TabCall): Promise<void> {
  if (!/^https?:/.test(page.url())) return;
  try {
    await tab.guard.check(page.url());
  } catch (thrown) {
    await tab.renew();
    throw thrown;
  }
}
