import { basename } from 'node:path';
import { ATTACHMENT_LIMITS } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { AnswerWithImages, ToolFailure } from '../../tools/index.ts';
import { detectFileType } from '../../util/index.ts';
import type { LineRange } from '../seen-files.ts';
import { BINARY_PROBE, isPdf, looksBinary } from '../text/encoding.ts';
import { type FoundFile, findFile } from '../text-file.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import { readDocument } from './document.ts';
import { describeImage } from './image.ts';
import {
  type Page,
  pageOfText,
  type PageRequest,
  type PresentedPage,
  presentPage,
  readPage,
  rejectPastEnd,
} from './read-page.ts';

export const MAX_LINES = 2000;
/** Longer lines are truncated, because the lines of minified files would fill the context window. */
const MAX_LINE_CHARACTERS = 2000;
/** Reserved for the notes about the file and the next offset. */
const NOTICE_ROOM = 400;

/** A file that was read: an image, or lines that can be presented in any number of characters. */
export type FileView = AnswerWithImages | { file: FoundFile; present(maxCharacters: number): PresentedPage };

/** Reads a file for the model, or throws with the reason why it cannot be read. */
export async function viewFile(path: string, range: LineRange, context: ToolContext): Promise<FileView> {
  const file = await findFile(path, context, 'read_file');
  return explainFileErrors(path, 'read', () => readView(path, range, file, context));
}

async function readView(path: string, range: LineRange, file: FoundFile, context: ToolContext): Promise<FileView> {
  const { environment, signal, maxResultCharacters } = context;
  const head = await environment.readFile(path, { offset: 0, length: BINARY_PROBE });
  const image = describeImage(head);
  if (image !== undefined) return viewImage(path, `${path} is ${image}, ${file.size} bytes`, file, context);
  const wanted = pageRequest(range, maxResultCharacters);
  const viewOf = (page: Page, note?: string): FileView => {
    rejectPastEnd(page, wanted, path);
    return { file, present: (maxCharacters) => presentPage(page, pageRequest(range, maxCharacters), note) };
  };
  const document = isPdf(head)
    ? await (await import('./pdf-text.ts')).readPdf(path, environment, signal)
    : await readDocument(path, file, environment);
  if (document) return viewOf(pageOfText(document.text, wanted), document.note);
  if (looksBinary(head)) throw new ToolFailure(binaryMessage(path, file, head));
  if (file.size === 0) return { file, present: () => ({ text: '(empty file)', wholeLines: undefined }) };
  return viewOf(await readPage(path, file, environment, wanted, signal));
}

/** Reads a file that is an image. `what` describes its format and size. */
async function viewImage(
  path: string,
  what: string,
  file: FoundFile,
  { environment, canAttach }: ToolContext,
): Promise<FileView> {
  if (!canAttach) {
    const text = `${what}. A script cannot view images; call read_file directly instead.`;
    return { file, present: () => ({ text, wholeLines: undefined }) };
  }
  const { bytes: limit } = ATTACHMENT_LIMITS;
  const tooLarge = `${what}. Images over ${limit / 1_000_000} MB cannot be viewed. Create a smaller copy and read that.`;
  if (file.size > limit) throw new ToolFailure(tooLarge);
  // One byte more than the limit, because the file may have grown since.
  const bytes = await environment.readFile(path, { offset: 0, length: limit + 1 });
  if (bytes.length > limit) throw new ToolFailure(tooLarge);
  const type = detectFileType(bytes);
  if (type?.kind !== 'image')
    throw new ToolFailure(`${what}. Models cannot view this format; convert it to PNG first.`);
  return new AnswerWithImages(`${what}; it is attached.`, [{ ...type, name: basename(path), bytes }]);
}

function pageRequest({ offset, limit, column }: LineRange, maxCharacters: number): PageRequest {
  const budget = maxCharacters - NOTICE_ROOM;
  return {
    first: Math.max(offset, 1),
    count: Math.min(Math.max(limit, 1), MAX_LINES),
    column: Math.max(column, 1),
    // A request for a single line returns as much of it as fits.
    width: limit === 1 ? budget : Math.min(budget, MAX_LINE_CHARACTERS),
    budget,
  };
}

function binaryMessage(path: string, { size }: FoundFile, head: Uint8Array): string {
  if (isPdf(head))
    return `${path} is a PDF (${size} bytes). Reading its text requires pdftotext (poppler-utils), which is not installed.`;
  return `${path} is a binary file (${size} bytes), not text. Inspect it with a terminal command such as file or xxd.`;
}
