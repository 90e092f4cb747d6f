import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import { errorMessage } from '../base/index.ts';
import { createSemaphore, settlesWithin } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';
import type { BrowserParts } from './browsers.ts';
import { createBrowserGuard, type BrowserGuard } from './guard.ts';
import { startProxy } from './proxy.ts';
import { type StartedBrowser, startBrowser } from './start-browser.ts';

/** One browser shared by all agents of this process. */
export interface SharedBrowser {
  openContext(): Promise<OpenedContext>;
  close(): Promise<void>;
}

export type OpenedContext = {
  context: BrowserContext;
  guard: BrowserGuard;
  /** Closing the last context also closes the browser. */
  close(): Promise<void>;
};

/** Longer than a busy browser takes to respond. */
const ANSWER_MS = 15_000;

export function createSharedBrowser(parts: BrowserParts): SharedBrowser {
  const { found, settings, checkAddress, logger, closeMs = ANSWER_MS } = parts;
  // Serialises starting and closing, so that nobody gets a context of a browser that is being closed.
  const oneAtATime = createSemaphore(1);
  const users = new Set<OpenedContext>();
  let started: StartedBrowser | undefined;

  async function running(): Promise<StartedBrowser> {
    if (started?.browser.isConnected()) return started;
    await started?.close();
    started = undefined;
    started = await startBrowser(found, settings);
    logger.info('browser started', { version: started.browser.version(), remote: started.isRemote });
    return started;
  }

  async function closeIfUnused(): Promise<void> {
    if (users.size > 0) return;
    const ended = started;
    started = undefined;
    await ended?.close();
  }

  async function openContext(): Promise<OpenedContext> {
    const used = await running();
    const guard = createBrowserGuard(checkAddress);
    const proxy = used.isRemote ? undefined : await startProxy(guard);
    // Service workers could send requests that are not visible to any page.
    const options = { acceptDownloads: false, serviceWorkers: 'block' } as const;
    try {
      const context = await newContext(used, { ...options, ...(proxy && { proxy: { server: proxy.url } }) });
      if (used.isRemote) await watchRequests(context, guard);
      const opened: OpenedContext = {
        context,
        guard,
        close: () =>
          oneAtATime.use(async () => {
            if (!users.delete(opened)) return;
            if (!(await settlesWithin(context.close(), closeMs))) used.kill();
            await proxy?.close();
            await closeIfUnused();
          }),
      };
      users.add(opened);
      return opened;
    } catch (thrown) {
      await proxy?.close();
      await closeIfUnused();
      throw new BrowserFailure(`The browser could not open a page: ${errorMessage(thrown)}`, { cause: thrown });
    }
  }

  return {
    openContext: () => oneAtATime.use(() => openContext()),
    close: async () => {
      await Promise.all([...users].map((opened) => opened.close()));
      await oneAtATime.use(() => closeIfUnused());
    },
  };
}

async function newContext({ browser, kill }: StartedBrowser, options: BrowserContextOptions): Promise<BrowserContext> {
  const made = browser.newContext(options);
  if (await settlesWithin(made, ANSWER_MS)) return made;
  kill();
  made.catch(() => undefined);
  throw new Error('it does not respond and was killed');
}

/**
 * For a browser that cannot use our proxy: checks each request before it is sent. The browser resolves names and
 * follows redirects itself, so this sees less than the proxy; the final address of a page is checked again.
 */
async function watchRequests(context: BrowserContext, guard: Pick<BrowserGuard, 'check'>): Promise<void> {
  const isAllowed = (url: string) =>
    guard.check(url.replace(/^ws/, 'http')).then(
      () => true,
      () => false,
    );
  await context.route(/^https?:/, async (route) => {
    const allowed = await isAllowed(route.request().url());
    // The page may be closed by now.
    await (allowed ? route.continue() : route.abort('blockedbyclient')).catch(() => undefined);
  });
  // Redirects cannot be intercepted; the page they lead to is not shown.
  context.on('request', (request) => {
    if (request.redirectedFrom() !== null) void isAllowed(request.url());
  });
  await context.routeWebSocket(/./, async (socket) => {
    if (await isAllowed(socket.url())) socket.connectToServer();
    else await socket.close();
  });
}
