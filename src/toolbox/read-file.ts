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
    column: z._default(z.int().check(z.describe('first character, for cut lines')), 1),
  }),
  concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path] }),
  readOnly: true,
  async run({ path, offset, limit, column }, { environment, maxResultCharacters }) {
    const lines = splitLines(new TextDecoder().decode(await readTextBytes(path, environment)));
    if (lines.length === 0) return '(empty file)';
    const first = Math.max(offset, 1);
    if (first > lines.length)
      throw new ToolFailure(`${path} has ${lines.length} lines; offset ${first} is behind its end.`);
    const wanted = lines.slice(first - 1, first - 1 + Math.min(Math.max(limit, 1), MAX_LINES));
    const budget = maxResultCharacters - NOTICE_ROOM;
    // Who asks for one line wants that line, as much of it as there is room for.
    const width = limit === 1 ? budget : MAX_LINE_CHARACTERS;
    const cut = wanted.map((line, index) => cutLine(line, first + index, Math.max(column, 1), width));
    return page(cut, first, lines.length, budget);
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
function page(lines: readonly string[], first: number, total: number, budget: number): string {
  const shown: string[] = [];
  let room = budget;
  for (const [index, line] of lines.entries()) {
    const numbered = `${first + index}|${line}`;
    room -= numbered.length + 1;
    // The first line always fits, or paging could not go on.
    if (room < 0 && shown.length > 0) break;
    shown.push(numbered);
  }
  const last = first + shown.length - 1;
  if (last < total) shown.push(`[lines ${first}–${last} of ${total}; go on with offset ${last + 1}]`);
  return shown.join('\n');
}

/** Minified files would otherwise fill the window with one line; the notice says how to get at the rest. */
function cutLine(line: string, number: number, column: number, width: number): string {
  const shown = takeStart(line.slice(column - 1), width);
  const next = column + shown.length;
  if (next > line.length) return shown;
  return `${shown}… [line cut: ${line.length} characters; go on with offset ${number}, limit 1, column ${next}]`;
}
