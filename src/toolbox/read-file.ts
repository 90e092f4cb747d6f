import * as z from 'zod/mini';
import type { ToolContext } from '../contracts/index.ts';
import { AnswerWithImages, defineTool, ToolFailure } from '../tools/index.ts';
import { MAX_LINES, viewFile } from './reading/file-view.ts';
import { readSeveral } from './reading/several-files.ts';
import { type LineRange, shortForm } from './seen-files.ts';

const MAX_FILES = 20;

const parameters = z.object({
  path: z
    .union([z.string(), z.array(z.string())])
    .check(
      z.describe(
        'One path, or a list of up to 20 paths. Read files that you need together in one call; the other parameters apply to each of them.',
      ),
    ),
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

export const readFileTool = defineTool({
  name: 'read_file',
  toolset: 'file',
  emoji: '📖',
  asksBefore: 'reading files that contain secrets',
  description:
    'Read text files, notebooks, office documents or PDFs as numbered lines N|text (N| is not part of the file), or view images (PNG, JPEG, GIF, WebP). Returns up to 2,000 lines per file; if there are more lines, the result ends with the next offset. Lines over 2,000 characters are truncated. For large files, read only the part you need. Use it instead of cat, head or tail.',
  parameters,
  concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path].flat() }),
  readOnly: true,
  run({ path, ...range }, context) {
    const [first, ...others] = requirePaths([path].flat());
    return others.length === 0 ? readOne(first, range, context) : readSeveral([first, ...others], range, context);
  },
});

function requirePaths(paths: readonly string[]): [string, ...string[]] {
  const [first, ...others] = new Set(paths);
  if (first === undefined || paths.includes('')) {
    throw new ToolFailure('path must name a file, or several files as a list of paths without empty entries.');
  }
  if (others.length >= MAX_FILES) {
    throw new ToolFailure(
      `One call reads at most ${MAX_FILES} files, and path lists ${others.length + 1}. Nothing was read. Use several calls.`,
    );
  }
  return [first, ...others];
}

async function readOne(path: string, range: LineRange, context: ToolContext): Promise<string | AnswerWithImages> {
  const view = await viewFile(path, range, context);
  // An image may no longer be in the context, so it is always attached again.
  if (view instanceof AnswerWithImages) return view;
  const { text, wholeLines } = view.present(context.maxResultCharacters);
  const shown = shortForm(context, { file: view.file, path, range, text, wholeLines, isSection: false });
  shown.record();
  return shown.text;
}
