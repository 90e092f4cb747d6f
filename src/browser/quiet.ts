import type { Request } from 'playwright-core';
import type { TabCall } from './agent-browser.ts';
import { settle } from './open-page.ts';

/** What an action sets off has begun by then. */
const BEGINS_MS = 150;
/** Data that a page fetches is waited for so long; a page that always fetches something is not waited for. */
const FETCH_MS = 2000;

/** Does something in the page and waits for what it leads to: another page, or data. */
export async function afterwards({ tab, ...call }: TabCall, action: () => Promise<unknown>): Promise<string[]> {
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

/** A real moment of the browser's, whatever the clock of a test says. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { setTimeout } = await import('node:timers/promises');
  await setTimeout(milliseconds, undefined, { signal, ref: false });
}
