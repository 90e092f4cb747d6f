import * as z from 'zod/mini';
import { takeStart } from '../util/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { readTextBytes } from './text-file.ts';

const MAX_LINES = 2000;
const MAX_LINE_CHARACTERS = 2000;
/** Room for the notice about what comes next. */
const NOTICE_ROOM = 200;

export const readFileTool = defineTool({
  name: 'read_file',
  toolset: 'file',
  emoji: '📖',
  description:
    'Read a text file. Lines come as N|text; N| is not part of the file. Use this instead of cat, head or tail.',
  parameters: z.object({
    path: z.string().check(z.minLength(1)),
    offset: z._default(z.int().check(z.describe('first line')), 1),
    limit: z._default(z.int().check(z.describe(`lines, at most ${MAX_LINES}`)), MAX_LINES),
  }),
  concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path] }),
  readOnly: true,
  async run({ path, offset, limit }, { environment, maxResultCharacters }) {
    const lines = splitLines(new TextDecoder().decode(await readTextBytes(path, environment)));
    if (lines.length === 0) return '(empty file)';
    const first = Math.max(offset, 1);
    if (first > lines.length)
      throw new ToolFailure(`${path} has ${lines.length} lines; offset ${first} is behind its end.`);
    const wanted = Math.min(Math.max(limit, 1), MAX_LINES);
    return page(lines, first, wanted, maxResultCharacters - NOTICE_ROOM);
  },
});

/** Lines without their ends; the newline at the end of a file does not begin another line. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** As many lines as fit; the notice says where to go on. */
function page(lines: readonly string[], first: number, limit: number, budget: number): string {
  const shown: string[] = [];
  let room = budget;
  for (const [index, line] of lines.slice(first - 1, first - 1 + limit).entries()) {
    const numbered = `${first + index}|${cutLine(line)}`;
    room -= numbered.length + 1;
    // The first line always fits, or paging could not go on.
    if (room < 0 && shown.length > 0) break;
    shown.push(numbered);
  }
  const last = first + shown.length - 1;
  if (last < lines.length) shown.push(`[lines ${first}–${last} of ${lines.length}; go on with offset ${last + 1}]`);
  return shown.join('\n');
}

/** Minified files would otherwise fill the window with one line. */
function cutLine(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  return `${takeStart(line, MAX_LINE_CHARACTERS)}… [line cut: ${line.length} characters]`;
}
