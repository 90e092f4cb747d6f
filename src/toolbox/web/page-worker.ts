/** Where a worker begins: it turns one page into text, tells what came of it, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../base/index.ts';
import { readHtml } from './html-page.ts';
import type { PageAnswer, PageOrder, PageText } from './page-order.ts';
import { readPdfPage } from './pdf-page.ts';

async function read(order: PageOrder): Promise<PageText> {
  return order.kind === 'html' ? readHtml(order.html, order.url) : readPdfPage(order.body);
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
