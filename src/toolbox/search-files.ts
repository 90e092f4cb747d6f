import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';
import { findFiles, findRipgrep, searchContents } from './searching/search.ts';

const parameters = z.object({
  pattern: z.string().check(z.minLength(1), z.describe('regular expression; with target files a glob')),
  target: z._default(z.enum(['content', 'files']), 'content'),
  path: z._default(z.string(), '.'),
  file_glob: z.optional(z.string()),
  limit: z._default(z.int(), 50),
  offset: z._default(z.int(), 0),
  output_mode: z._default(z.enum(['content', 'files_only', 'count']), 'content'),
  context: z._default(z.int().check(z.describe('lines around a match')), 0),
});

export type SearchArguments = z.output<typeof parameters>;

export const searchFilesTool = defineTool({
  name: 'search_files',
  toolset: 'file',
  emoji: '🔎',
  description:
    'Search in files, or for files by name, newest first (target files). Hidden, ignored and binary ones only where named. Use it instead of grep, rg, find, ls.',
  parameters,
  // Reserves the whole folder, so that it never sees a file half way through other calls' changes.
  concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path] }),
  readOnly: true,
  run: (args, context) => (args.target === 'files' ? findFiles : searchContents)(args, context, findRipgrep),
});
