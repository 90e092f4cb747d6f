import type { AgentBrowser, BrowserCall } from '../contracts/index.ts';
import { abortable, createSemaphore } from '../util/index.ts';
import type { BrowserParts } from './browsers.ts';
import { explainFault } from './explain-fault.ts';
import { listImages, readConsole, takeScreenshot } from './look.ts';
import { perform } from './perform.ts';
import type { SharedBrowser } from './shared-browser.ts';
import type { Tab } from './tab.ts';
import { createTabKeeper } from './tab-keeper.ts';

/** What one call works with: the tab, and how long it may take. */
export type TabCall = { tab: Tab; signal: AbortSignal; deadline: number };

type Work<Result> = (call: TabCall, news: readonly string[]) => Promise<Result>;

/** The browser of one agent: calls one after the other, and an end when nobody calls. */
export function createAgentBrowser(parts: BrowserParts, shared: SharedBrowser): AgentBrowser {
  const calls = createSemaphore(1);
  const keeper = createTabKeeper(parts, shared);
  const seconds = parts.settings.commandSeconds;

  async function run<Result>(signal: AbortSignal, work: Work<Result>, opens?: string): Promise<Result> {
    const { tab, news } = await keeper.take(opens);
    // The start of a browser is not counted.
    const limit = AbortSignal.timeout(seconds * 1000);
    const either = AbortSignal.any([signal, limit]);
    try {
      // Some of what a browser is asked for knows no signal.
      const call = { tab, signal: either, deadline: Date.now() + seconds * 1000 };
      return await abortable(work(call, news), either);
    } catch (thrown) {
      signal.throwIfAborted();
      // What else happened belongs to the call that failed, and not to the next one.
      tab.takeNotes();
      if (!limit.aborted) throw explainFault(thrown, tab.whyGone());
      // A page that does not even answer within the limit would hold up every further call.
      const reason = `The page did not answer within ${seconds} s and was closed.`;
      await keeper.drop(reason);
      throw explainFault(thrown, reason);
    }
  }

  async function use<Result>({ signal }: BrowserCall, work: Work<Result>, opens?: string): Promise<Result> {
    return calls.use(async () => {
      signal.throwIfAborted();
      keeper.wake();
      try {
        return await run(signal, work, opens);
      } finally {
        keeper.rest(calls);
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
        keeper.wake();
        await keeper.drop(undefined);
      }),
  };
}
