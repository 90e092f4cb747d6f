import type { BrowserContext } from 'playwright-core';
import type { Guard } from './guard.ts';

/**
 * For a browser that cannot be led through our proxy: each request is looked at before it is sent. It resolves names
 * itself, and follows redirects itself, so this is less than a proxy sees; where a page ended up is looked at again.
 */
export async function watchRequests(context: BrowserContext, guard: Pick<Guard, 'check'>): Promise<void> {
  const isAllowed = (url: string) =>
    guard.check(url.replace(/^ws/, 'http')).then(
      () => true,
      () => false,
    );
  await context.route(/^https?:/, async (route) => {
    const allowed = await isAllowed(route.request().url());
    // The page may be gone by now.
    await (allowed ? route.continue() : route.abort('blockedbyclient')).catch(() => undefined);
  });
  // Redirects are followed without a question; what comes of them is not shown.
  context.on('request', (request) => {
    if (request.redirectedFrom() !== null) void isAllowed(request.url());
  });
  await context.routeWebSocket(/./, async (socket) => {
    if (await isAllowed(socket.url())) socket.connectToServer();
    else await socket.close();
  });
}
