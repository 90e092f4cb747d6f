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
  /** How long the pages of an agent may take to close before the browser is killed. */
  closeMs?: number;
};

/** The browser of this process. The first call starts it, and it is closed when unused. */
export interface Browsers {
  /** Each agent has its own browser context, isolated from the others. */
  forAgent(): AgentBrowser;
  close(): Promise<void>;
}

export function createBrowsers(parts: BrowserParts): Browsers {
  const opened = new Set<AgentBrowser>();
  let shared: SharedBrowser | undefined;

  /** Loads the browser modules on the first call. */
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
