import type { Semaphore } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';
import type { BrowserParts } from './browsers.ts';
import type { SharedBrowser } from './shared-browser.ts';
import { openTab, type Tab } from './tab.ts';

/** The tab of one agent, from the call that needs it to the end of its use. */
export interface TabKeeper {
  /** The tab that is there; a new one only to open an address in it. `news`: why it is not the one from before. */
  take(opens: string | undefined): Promise<{ tab: Tab; news: string[] }>;
  /** Lets go of it. The reason is told to whoever asks next. */
  drop(reason: string | undefined): Promise<void>;
  /** Nobody uses it from now on. Its end waits for its turn, and for nobody having come by then. */
  rest(calls: Semaphore): void;
  /** Somebody does again. */
  wake(): void;
}

const NOTHING_OPEN = 'No page is open. Open one with browser_navigate.';
const OPEN_AGAIN = 'Open it again with browser_navigate.';

export function createTabKeeper({ settings, clock, logger }: BrowserParts, shared: SharedBrowser): TabKeeper {
  let tab: Tab | undefined;
  /** Why there is no page any longer, until somebody got a new one. */
  let ended: string | undefined;
  let idle = new AbortController();

  async function drop(reason: string | undefined): Promise<void> {
    const dropped = tab;
    tab = undefined;
    ended = reason;
    if (dropped !== undefined && reason !== undefined) logger.info('a browser page ended', { reason });
    await dropped?.close();
  }

  /** Where the address needs a context of its own, another tab in place of the one that is there. */
  async function fitting(before: Tab, opens: string | undefined): Promise<Tab> {
    if (opens === undefined || (await before.guard.fits(opens))) return before;
    // The new one is there first, or the browser would end with the last that used it.
    const next = await openTab(await shared.openContext());
    await next.takeCookies(before);
    await before.close();
    return next;
  }

  return {
    async take(opens) {
      const gone = tab?.whyGone();
      if (gone !== undefined) await drop(gone);
      if (tab !== undefined) return { tab: (tab = await fitting(tab, opens)), news: [] };
      if (opens === undefined) throw new BrowserFailure(ended === undefined ? NOTHING_OPEN : `${ended} ${OPEN_AGAIN}`);
      tab = await openTab(await shared.openContext());
      const news = ended === undefined ? [] : [`${ended} This is a new one, without what was in it.`];
      ended = undefined;
      return { tab, news };
    },
    drop,
    rest(calls) {
      if (tab === undefined) return;
      idle = new AbortController();
      const { signal } = idle;
      const seconds = settings.idleSeconds;
      // It keeps nobody from leaving: whoever leaves closes the browser, which ends the wait.
      void clock.sleep(seconds * 1000, signal).then(
        () => calls.use(async () => signal.aborted || drop(`The browser was closed after ${seconds} s without use.`)),
        () => undefined,
      );
    },
    wake: () => idle.abort(),
  };
}
