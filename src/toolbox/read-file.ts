import * as z from 'zod/mini';
import type { ToolContext } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { describeImage } from './reading/image.ts';
import { pageOfText, type PageRequest, presentPage, readPage } from './reading/read-page.ts';
import { readDocument } from './reading/document.ts';
import { wasShown } from './seen-files.ts';
import { explainFileErrors } from './text/file-errors.ts';
import { BINARY_PROBE, isPdf, looksBinary } from './text/encoding.ts';
import { type FoundFile, findFile } from './text-file.ts';

const MAX_LINES = 2000;
/** Lines of minified files would otherwise fill the context window. */
const MAX_LINE_CHARACTERS = 2000;
/** Reserved for the notes about the file and the next offset. */
const NOTICE_ROOM = 400;

const parameters = z.object({
  path: z.string().check(z.minLength(1)),
  offset: z._default(z.int().check(z.describe('First line, from 1.')), 1),
  limit: z._default(z.int().check(z.describe('Number of lines.')), MAX_LINES),
  column: z._default(
    z.int().check(z.describe('First character of each line, from 1. Use it to read on in a truncated line.')),
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
    'Read a text file, notebook, office document or PDF as numbered lines N|text (N| is not part of the file). Returns up to 2,000 lines; the result ends with the next offset if there is more. Lines over 2,000 characters are truncated. Read only the part you need of a large file. Use it instead of cat, head, tail.',
  parameters,
  concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path] }),
  readOnly: true,
  async run(args, context) {
    const file = await findFile(args.path, context, 'read_file');
    const answer = await explainFileErrors(args.path, 'read', () => readAnswer(args, file, context));
    const { offset, limit, column } = args;
    if (!wasShown(context, file, `${offset} ${limit} ${column} ${context.maxResultCharacters}`, answer)) return answer;
    return `${args.path} has not changed since you read these lines; the earlier result is still current.`;
  },
});

async function readAnswer(args: ReadArguments, file: FoundFile, context: ToolContext): Promise<string> {
  const { environment, signal } = context;
  const { path } = args;
  const head = await environment.readFile(path, { offset: 0, length: BINARY_PROBE });
  const image = describeImage(head);
  if (image !== undefined) return `${path} is ${image}, ${file.size} bytes. ${await imageAdvice(context)}`;
  const wanted = pageRequest(args, context.maxResultCharacters);
  const document = isPdf(head)
    ? await (await import('./reading/pdf-text.ts')).readPdf(path, environment, signal)
    : await readDocument(path, file, environment);
  if (document) return presentPage(pageOfText(document.text, wanted), wanted, path, document.note);
  if (looksBinary(head)) throw new ToolFailure(binaryMessage(path, file, head));
  if (file.size === 0) return '(empty file)';
  return presentPage(await readPage(path, file, environment, wanted, signal), wanted, path);
}

async function imageAdvice({ tools }: ToolContext): Promise<string> {
  const names = await tools.names();
  if (names.includes('vision_analyze')) return 'View it with vision_analyze.';
  return 'Images cannot be viewed here. The user can enable that with: hermes config set auxiliary.vision.enabled true';
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
