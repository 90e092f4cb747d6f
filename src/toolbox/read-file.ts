import { basename } from 'node:path';
import * as z from 'zod/mini';
import { ATTACHMENT_LIMITS } from '../base/index.ts';
import type { ToolContext } from '../contracts/index.ts';
import { AnswerWithImages, defineTool, ToolFailure } from '../tools/index.ts';
import { describeImage } from './reading/image.ts';
import { pageOfText, type PageRequest, presentPage, readPage } from './reading/read-page.ts';
import { readDocument } from './reading/document.ts';
import { detectFileType } from '../util/index.ts';
import { wasShown } from './seen-files.ts';
import { explainFileErrors } from './text/file-errors.ts';
import { BINARY_PROBE, isPdf, looksBinary } from './text/encoding.ts';
import { type FoundFile, findFile } from './text-file.ts';

const MAX_LINES = 2000;
/** Longer lines are truncated, because the lines of minified files would fill the context window. */
const MAX_LINE_CHARACTERS = 2000;
/** Reserved for the notes about the file and the next offset. */
const NOTICE_ROOM = 400;

const parameters = z.object({
  path: z.string().check(z.minLength(1)),
  offset: z._default(z.int().check(z.describe('First line to read (1-based).')), 1),
  limit: z._default(z.int().check(z.describe('Number of lines to read.')), MAX_LINES),
  column: z._default(
    z
      .int()
      .check(
        z.describe(
          'Position of the first character to show in each line (1-based). Use it to read the rest of a truncated line.',
        ),
      ),
    1,
  ),
});

type ReadArguments = z.output<typeof parameters>;

export const readFileTool = defineTool({
  name: 'read_file',
  toolset: 'file',
  emoji: '📖',
  asksBefore: 'reading files that contain secrets',
  description:
    'Read a text file, notebook, office document or PDF as numbered lines N|text (N| is not part of the file), or view an image (PNG, JPEG, GIF, WebP). Returns up to 2,000 lines; if there are more lines, the result ends with the next offset. Lines over 2,000 characters are truncated. For large files, read only the part you need. Use it instead of cat, head or tail.',
  parameters,
  concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path] }),
  readOnly: true,
  async run(args, context) {
    const file = await findFile(args.path, context, 'read_file');
    const answer = await explainFileErrors(args.path, 'read', () => readAnswer(args, file, context));
    // An image may no longer be in the context, so it is always attached again.
    if (typeof answer !== 'string') return answer;
    const { offset, limit, column } = args;
    if (!wasShown(context, file, `${offset} ${limit} ${column} ${context.maxResultCharacters}`, answer)) return answer;
    return `${args.path} has not changed since you last read these lines, so they are not repeated. Use the earlier result.`;
  },
});

async function readAnswer(
  args: ReadArguments,
  file: FoundFile,
  context: ToolContext,
): Promise<string | AnswerWithImages> {
  const { environment, signal } = context;
  const { path } = args;
  const head = await environment.readFile(path, { offset: 0, length: BINARY_PROBE });
  const image = describeImage(head);
  if (image !== undefined) return readImage(path, `${path} is ${image}, ${file.size} bytes`, file, context);
  const wanted = pageRequest(args, context.maxResultCharacters);
  const document = isPdf(head)
    ? await (await import('./reading/pdf-text.ts')).readPdf(path, environment, signal)
    : await readDocument(path, file, environment);
  if (document) return presentPage(pageOfText(document.text, wanted), wanted, path, document.note);
  if (looksBinary(head)) throw new ToolFailure(binaryMessage(path, file, head));
  if (file.size === 0) return '(empty file)';
  return presentPage(await readPage(path, file, environment, wanted, signal), wanted, path);
}

/** Reads a file that is an image. `what` describes its format and size. */
async function readImage(
  path: string,
  what: string,
  { size }: FoundFile,
  { environment, canAttach }: ToolContext,
): Promise<string | AnswerWithImages> {
  if (!canAttach) return `${what}. A script cannot view images; call read_file directly instead.`;
  const { bytes: limit } = ATTACHMENT_LIMITS;
  const tooLarge = `${what}. Images over ${limit / 1_000_000} MB cannot be viewed. Create a smaller copy and read that.`;
  if (size > limit) throw new ToolFailure(tooLarge);
  // One byte more than the limit, because the file may have grown since.
  const bytes = await environment.readFile(path, { offset: 0, length: limit + 1 });
  if (bytes.length > limit) throw new ToolFailure(tooLarge);
  const type = detectFileType(bytes);
  if (type?.kind !== 'image')
    throw new ToolFailure(`${what}. Models cannot view this format; convert it to PNG first.`);
  return new AnswerWithImages(`${what}; it is attached.`, [{ ...type, name: basename(path), bytes }]);
}

function pageRequest({ offset, limit, column }: ReadArguments, maxResultCharacters: number): PageRequest {
  const budget = maxResultCharacters - NOTICE_ROOM;
  return {
    first: Math.max(offset, 1),
    count: Math.min(Math.max(limit, 1), MAX_LINES),
    column: Math.max(column, 1),
    // A request for a single line returns as much of it as fits.
    width: limit === 1 ? budget : MAX_LINE_CHARACTERS,
    budget,
  };
}

function binaryMessage(path: string, { size }: FoundFile, head: Uint8Array): string {
  if (isPdf(head))
    return `${path} is a PDF (${size} bytes). Reading its text requires pdftotext (poppler-utils), which is not installed.`;
  return `${path} is a binary file (${size} bytes), not text. Inspect it with a terminal command such as file or xxd.`;
}
