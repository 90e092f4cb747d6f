/** Where a worker begins: it turns one page into text, tells what came of it, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../base/index.ts';
import type { PageAnswer, PageOrder, PageText } from './fetch-page.ts';

async function read(order: PageOrder): Promise<PageText> {
  // Each is large, and one of them is needed.
  if (order.kind === 'html') return (await import('./html-page.ts')).readHtml(order.html, order.url);
  return (await import('./pdf-page.ts')).readPdfPage(order.body);
}

async function answer(): Promise<PageAnswer> {
  try {
    return { page: await read(workerData as PageOrder) };
  } catch (thrown) {
    return { fault: errorMessage(thrown) };
  }
}

// All of it is copied, nothing handed over.
parentPort?.postMessage(await answer(), []);
