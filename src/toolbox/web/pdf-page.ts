import { extractText, getDocumentProxy } from 'unpdf';
import type { PageText } from './fetch-page.ts';

/** Extracts the text of a PDF file, page by page. */
export async function readPdfPage(body: Uint8Array): Promise<PageText> {
  const document = await getDocumentProxy(new Uint8Array(body));
  const { text, totalPages } = await extractText(document, { mergePages: false });
  if (text.every((page) => page.trim() === '')) {
    throw new Error(`the PDF file has ${totalPages} pages without text; the pages are images, possibly scans`);
  }
  return {
    title: '',
    text: text.map((page, index) => `--- page ${index + 1} ---\n${page.trim()}`).join('\n\n'),
    note: `PDF file, ${totalPages} pages`,
  };
}
