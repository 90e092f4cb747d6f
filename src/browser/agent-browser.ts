import type { AgentBrowser, BrowserCall } from '../contracts/index.ts';
import { abortable, createSemaphore, type Semaphore } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';
import type { BrowserParts } from './browsers.ts';
import { explainFault } from './explain-fault.ts';
import { listImages, readConsole, takeScreenshot } from './page-view.ts';
import { perform } from './perform.ts';
import type { SharedBrowser } from './shared-browser.ts';
import { openTab, type Tab } from './tab.ts';

const NOTHING_OPEN = 'No page is open. Open a page with browser_navigate.';
const OPEN_AGAIN = 'Open it again with browser_navigate.';

/** The tab of a call, its signal and its deadline. */
export type TabCall = { tab: Tab; signal: AbortSignal; deadline: number };

type Work<Result> = (call: TabCall, news: readonly string[]) => Promise<Result>;

/** The browser of one agent. Calls run one at a time, and it closes when idle. */
export function createAgentBrowser(parts: BrowserParts, shared: SharedBrowser): AgentBrowser {
  const calls = createSemaphore(1);
  const keeper = createTabKeeper(parts, shared);
  const seconds = parts.settings.commandSeconds;

  async function run<Result>(signal: AbortSignal, work: Work<Result>, opens?: string): Promise<Result> {
    const { tab, news } = await keeper.getTab(opens);
    // The timeout does not include starting the browser.
    const limit = AbortSignal.timeout(seconds * 1000);
    const either = AbortSignal.any([signal, limit]);
    try {
      // Not all Playwright calls accept a signal.
      const call = { tab, signal: either, deadline: Date.now() + seconds * 1000 };
      return await abortable(work(call, news), either);
    } catch (thrown) {
      signal.throwIfAborted();
      // Notes of a failed call must not appear in the result of the next one.
      tab.takeNotes();
      if (!limit.aborted) throw explainFault(thrown, tab.whyGone());
      // A page that does not respond would block every further call, so it is closed.
      const reason = `The page did not respond within ${seconds} s and was closed.`;
      await keeper.drop(reason);
      throw explainFault(thrown, reason);
    }
  }

  async function use<Result>({ signal }: BrowserCall, work: Work<Result>, opens?: string): Promise<Result> {
    return calls.use(async () => {
      signal.throwIfAborted();
      keeper.stopIdleTimer();
      try {
        return await run(signal, work, opens);
      } finally {
        keeper.startIdleTimer(calls);
      }
    });
  }

  return {
    async act(action, call) {
      const work: Work<Awaited<ReturnType<typeof perform>>> = async (used, news) => {
        const view = await perform(action, used);
        return { ...view, notes: [...news, ...view.notes] };
      };
      return use(call, work, action.type === 'navigate' ? action.url : undefined);
    },
    images: (call) => use(call, listImages),
    console: (asked, call) => use(call, (used) => readConsole(asked, used)),
    screenshot: ({ annotate }, call) => use(call, (used) => takeScreenshot(annotate, used)),
    close: () =>
      calls.use(async () => {
        keeper.stopIdleTimer();
        await keeper.drop(undefined);
      }),
  };
}

/** Keeps the tab of one agent open between calls. */
interface TabKeeper {
  /** Returns the current tab, or a new one for opening an address. `news` says why the previous tab was replaced. */
  getTab(opens: string | undefined): Promise<{ tab: Tab; news: string[] }>;
  /** Closes the tab. The reason is reported to the next caller. */
  drop(reason: string | undefined): Promise<void>;
  /** Marks the tab as unused. It is closed after the idle timeout unless it is used again. */
  startIdleTimer(calls: Semaphore): void;
  /** Marks the tab as in use. */
  stopIdleTimer(): void;
}

function createTabKeeper({ settings, clock, logger }: BrowserParts, shared: SharedBrowser): TabKeeper {
  let tab: Tab | undefined;
  /** Why the previous page is gone, until a new one is opened. */
  let ended: string | undefined;
  let idle = new AbortController();

  async function drop(reason: string | undefined): Promise<void> {
    const dropped = tab;
    tab = undefined;
    ended = reason;
    if (dropped !== undefined && reason !== undefined) logger.info('browser page closed', { reason });
    await dropped?.close();
  }

  /** Replaces the tab if the address needs a context of its own. */
  async function fitting(before: Tab, opens: string | undefined): Promise<Tab> {
    if (opens === undefined || (await before.guard.fits(opens))) return before;
    // Open the new tab first: the browser closes with its last context.
    const next = await openTab(await shared.openContext());
    await next.takeCookies(before);
    await before.close();
    return next;
  }

  return {
    async getTab(opens) {
      const gone = tab?.whyGone();
      if (gone !== undefined) await drop(gone);
      if (tab !== undefined) return { tab: (tab = await fitting(tab, opens)), news: [] };
      if (opens === undefined) throw new BrowserFailure(ended === undefined ? NOTHING_OPEN : `${ended} ${OPEN_AGAIN}`);
      tab = await openTab(await shared.openContext());
      const news = ended === undefined ? [] : [`${ended} This is a new page; the state of the old page is lost.`];
      ended = undefined;
      return { tab, news };
    },
    drop,
    startIdleTimer(calls) {
      if (tab === undefined) return;
      idle = new AbortController();
      const { signal } = idle;
      const seconds = settings.idleSeconds;
      // This timer does not delay shutdown, because closing the browser aborts it.
      void clock.sleep(seconds * 1000, signal).then(
        () => calls.use(async () => signal.aborted || drop(`The browser was closed after ${seconds} s of inactivity.`)),
        () => undefined,
      );
    },
    stopIdleTimer: () => idle.abort(),
  };
}
