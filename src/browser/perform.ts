/// <reference lib="dom" />
import type { Locator, Page } from 'playwright-core';
import { errorMessage } from '../base/index.ts';
import type { BrowserAction, PageView } from '../contracts/index.ts';
import type { TabCall } from './agent-browser.ts';
import { BrowserFailure } from './browser-failure.ts';
import { NO_SUCH_REF } from './explain-fault.ts';
import { viewPage } from './look.ts';
import { openPage, settle } from './open-page.ts';
import { afterwards } from './quiet.ts';

/** An element that is not ready by then is not going to be. */
const ACTION_MS = 10_000;
/** A choice is mostly there from the start. */
const CHOICE_MS = 2000;

type Action<Type extends BrowserAction['type']> = Extract<BrowserAction, { type: Type }>;

/** Does it, waits for what it sets off, and looks at the page. */
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
      return afterwards(call, async () => (await find(page, action.ref)).click({ timeout: ACTION_MS, signal }));
    case 'type':
      return afterwards(call, async () => type(await find(page, action.ref), action, signal));
    case 'press':
      return afterwards(call, () => page.keyboard.press(action.key));
    case 'scroll':
      return scroll(page, action, call);
  }
}

async function find(page: Page, ref: string): Promise<Locator> {
  // Some models write it as the snapshot shows it.
  const name = /^(?:@|\[?ref=)?((?:f\d+)?e\d+)\]?$/.exec(ref.trim())?.[1];
  if (name === undefined) throw new BrowserFailure('A ref is what a snapshot shows as [ref=…], such as e12.');
  const found = page.locator(`aria-ref=${name}`);
  // An element that is not there is otherwise waited for.
  if ((await found.count()) === 0) throw new BrowserFailure(NO_SUCH_REF);
  return found;
}

/** A field gets the text in place of what was in it; of a list of choices the one with that name is taken. */
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
  if (page.url() === before) throw new BrowserFailure('There is no page before this one.');
  return settle(page, call);
}

/** What lies in the middle is scrolled, so that parts with a bar of their own are as well. */
async function scroll(page: Page, { direction }: Action<'scroll'>, call: TabCall): Promise<string[]> {
  const [width, height] = await page.evaluate(() => [innerWidth, innerHeight]);
  await page.mouse.move((width ?? 0) / 2, (height ?? 0) / 2);
  const distance = (height ?? 0) * 0.8 * (direction === 'down' ? 1 : -1);
  const notes = await afterwards(call, () => page.mouse.wheel(0, distance));
  const place = await page.evaluate(
    () => `${Math.round(scrollY)} to ${Math.round(scrollY + innerHeight)} of ${document.documentElement.scrollHeight}`,
  );
  return [`Pixels ${place} are in view.`, ...notes];
}
