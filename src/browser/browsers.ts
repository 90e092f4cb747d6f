import type { Clock } from '../base/index.ts';
import type { BrowserSettings } from '../config/index.ts';
import type { AgentBrowser, Logger } from '../contracts/index.ts';
import type { FoundBrowser } from './find-browser.ts';
import type { AddressCheck } from './guard.ts';
import type { SharedBrowser } from './shared-browser.ts';

export type BrowserParts = {
  settings: BrowserSettings;
  found: FoundBrowser;
  checkAddress: AddressCheck;
  clock: Clock;
  logger: Logger;
  /** How long what an agent had open may take to close; a browser that takes longer is ended. */
  closeMs?: number;
};

/** The browser of a program. It is started by the first call that needs it, and closed when nobody uses it. */
export interface Browsers {
  /** Each agent has a context of its own: nothing of one is seen by another. */
  forAgent(): AgentBrowser;
  close(): Promise<void>;
}

export function createBrowsers(parts: BrowserParts): Browsers {
  const opened = new Set<AgentBrowser>();
  let shared: SharedBrowser | undefined;

  /** Nothing of a browser is loaded before the first call. */
  async function load(): Promise<AgentBrowser> {
    const [{ createSharedBrowser }, { createAgentBrowser }] = await Promise.all([
      import('./shared-browser.ts'),
      import('./agent-browser.ts'),
    ]);
    shared ??= createSharedBrowser(parts);
    const browser = createAgentBrowser(parts, shared);
    opened.add(browser);
    return browser;
  }

  return {
    forAgent() {
      let loaded: Promise<AgentBrowser> | undefined;
      const loading = () => (loaded ??= load());
      return {
        act: async (...asked) => (await loading()).act(...asked),
        images: async (...asked) => (await loading()).images(...asked),
        console: async (...asked) => (await loading()).console(...asked),
        screenshot: async (...asked) => (await loading()).screenshot(...asked),
        async close() {
          const browser = await loaded;
          await browser?.close();
          if (browser) opened.delete(browser);
          loaded = undefined;
        },
      };
    },
    async close() {
      await Promise.all([...opened].map((browser) => browser.close()));
      await shared?.close();
    },
  };
}
