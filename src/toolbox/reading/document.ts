import { extname } from 'node:path';
import type { Environment } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import type { FoundFile } from '../text-file.ts';

const MAX_DOCUMENT_SIZE = 50 * 1024 * 1024;

/** Converters from bytes to text by file extension, loaded on demand. */
const READERS: Readonly<Record<string, () => Promise<(bytes: Uint8Array) => DocumentText | Promise<DocumentText>>>> = {
  '.ipynb': async () => (await import('./notebook.ts')).readNotebook,
  '.docx': async () => (await import('./office-text.ts')).readWordDocument,
  '.xlsx': async () => (await import('./office-text.ts')).readSpreadsheet,
  '.pptx': async () => (await import('./office-text.ts')).readPresentation,
  '.odt': async () => (await import('./office-text.ts')).readOpenDocument,
  '.ods': async () => (await import('./office-text.ts')).readOpenDocument,
  '.odp': async () => (await import('./office-text.ts')).readOpenDocument,
};

/** The text of a notebook or office document; undefined for every other file. */
export async function readDocument(
  path: string,
  { size }: FoundFile,
  environment: Environment,
): Promise<DocumentText | undefined> {
  const load = READERS[extname(path).toLowerCase()];
  if (!load) return undefined;
  if (size > MAX_DOCUMENT_SIZE)
    throw new ToolFailure(`${path} is too large to read as a document (${size} bytes); use a program in the terminal.`);
  const read = await load();
  try {
    return await read(await environment.readFile(path));
  } catch (thrown) {
    if (!(thrown instanceof UnreadableDocument)) throw thrown;
    // The file is not what its extension says, so it is read as plain text.
    if (thrown.looksLikeText) return undefined;
    throw new ToolFailure(`${path} cannot be read as a document: ${thrown.message}.`);
  }
}

/** The text of a document. The note says that its line numbers are not those of the file. */
export type DocumentText = { text: string; note: string };

/** The document is damaged or not what its extension says. */
export class UnreadableDocument extends Error {
  /** The file can still be read as plain text. */
  readonly looksLikeText: boolean;

  constructor(message: string, looksLikeText = false) {
    super(message);
    this.looksLikeText = looksLikeText;
  }
}
