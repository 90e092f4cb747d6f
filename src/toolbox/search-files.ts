import * as z from 'zod/mini';
import type { ToolContext } from '../contracts/index.ts';
import { defineTool } from '../tools/index.ts';
import { findFiles, findRipgrep, searchContents } from './searching/search.ts';
import { isOnlyGlob } from './searching/search-pattern.ts';

const parameters = z.object({
  pattern: z
    .string()
    .check(
      z.minLength(1),
      z.describe(
        'Regular expression, matched line by line; start with (?i) to ignore case. With target files: a glob or part of a file name, e.g. **/*.test.ts; * lists all files.',
      ),
    ),
  target: z._default(z.enum(['content', 'files']), 'content'),
  path: z._default(z.string().check(z.describe('Directory or file to search.')), '.'),
  file_glob: z.optional(
    z
      .string()
      .check(z.describe('Search only matching files, e.g. *.ts or src/**. A leading ! excludes matching files.')),
  ),
  limit: z._default(z.int().check(z.describe('Maximum number of lines or files to return (at most 1,000).')), 50),
  offset: z._default(z.int().check(z.describe('Number of results to skip.')), 0),
  output_mode: z._default(
    z
      .enum(['content', 'files_only', 'count'])
      .check(
        z.describe('content (default): matching lines. files_only: paths. count: number of matching lines per file.'),
      ),
    'content',
  ),
  context: z._default(z.int().check(z.describe('Lines of context around each match (at most 20).')), 0),
});

export type SearchArguments = z.output<typeof parameters>;

export const searchFilesTool = defineTool({
  name: 'search_files',
  toolset: 'file',
  emoji: '🔎',
  description:
    'Search file contents for a regular expression (target content, the default), or find files by name in all subdirectories, newest first (target files). It skips binary files and also files over 5 MB, node_modules, git-ignored files and hidden files, unless path points to them. To include hidden files, use a glob that begins with a dot, e.g. .github/**, in file_glob (or in pattern with target files). Use it instead of grep, rg, find or ls.',
  parameters,
  // Reserves the whole directory, so that no other call changes files during the search.
  concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path] }),
  readOnly: true,
  async run(args, context) {
    if (args.target === 'files') return findFiles(args, context, findRipgrep);
    return isOnlyGlob(args.pattern) ? findByGlob(args, context) : searchContents(args, context, findRipgrep);
  },
});

/** Models often give a glob without setting target. */
async function findByGlob(args: SearchArguments, context: ToolContext): Promise<string> {
  const found = await findFiles({ ...args, target: 'files' }, context, findRipgrep);
  return `${found}\n[${args.pattern} is not a valid regular expression, so it was used as a glob (target files)]`;
}
