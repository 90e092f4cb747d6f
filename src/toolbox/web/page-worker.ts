/** Entry point of the worker thread: converts one page to text and exits. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../base/index.ts';
import type { PageConversionResult, PageConversion, PageText } from './fetch-page.ts';

async function read(order: PageConversion): Promise<PageText> {
  // Both modules are large, and only one is needed.
  if (order.kind === 'html') return (await import('./html-page.ts')).readHtml(order.html, order.url);
  return (await import('./pdf-page.ts')).readPdfPage(order.body);
}

async function answer(): Promise<PageConversionResult> {
  try {
    return { page: await read(workerData as PageConversion) };
  } catch (thrown) {
    return { fault: errorMessage(thrown) };
  }
}

// No transfer list: the message is copied.
parentPort?.postMessage(await answer(), []);
