import { extname } from 'node:path';
import type { Environment } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import type { FoundFile } from '../text-file.ts';

const MAX_DOCUMENT_SIZE = 50 * 1024 * 1024;

/** What turns the bytes of a kind of document into text; loaded when one is met. */
const READERS: Readonly<Record<string, () => Promise<(bytes: Uint8Array) => DocumentText | Promise<DocumentText>>>> = {
  '.ipynb': async () => (await import('./notebook.ts')).readNotebook,
  '.docx': async () => (await import('./office-text.ts')).readWordDocument,
  '.xlsx': async () => (await import('./office-text.ts')).readSpreadsheet,
  '.pptx': async () => (await import('./office-text.ts')).readPresentation,
  '.odt': async () => (await import('./office-text.ts')).readOpenDocument,
  '.ods': async () => (await import('./office-text.ts')).readOpenDocument,
  '.odp': async () => (await import('./office-text.ts')).readOpenDocument,
};

/** A notebook or office document as text; undefined for every other file. */
export async function readDocument(
  path: string,
  { size }: FoundFile,
  environment: Environment,
): Promise<DocumentText | undefined> {
  const load = READERS[extname(path).toLowerCase()];
  if (!load) return undefined;
  if (size > MAX_DOCUMENT_SIZE)
    throw new ToolFailure(`${path} has ${size} bytes, too many for a document; use a program in the terminal.`);
  const read = await load();
  try {
    return await read(await environment.readFile(path));
  } catch (thrown) {
    if (!(thrown instanceof UnreadableDocument)) throw thrown;
    // Whatever it is, it is not what its name says: it is read like any other file.
    if (thrown.looksLikeText) return undefined;
    throw new ToolFailure(`${path} cannot be read as a document: ${thrown.message}.`);
  }
}

/** A document as text; its lines are not those of the file, which the note says. */
export type DocumentText = { text: string; note: string };

/** The document is not what its name says, or is broken. */
export class UnreadableDocument extends Error {
  /** It can still be read as the text it is. */
  readonly looksLikeText: boolean;

  constructor(message: string, looksLikeText = false) {
    super(message);
    this.looksLikeText = looksLikeText;
  }
}
