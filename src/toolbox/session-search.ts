import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  query: z.optional(
    z
      .string()
      .check(
        z.describe(
          'Full-text query: words, "phrases", OR, NOT, prefix*. Messages with all words come first, then the nearest.',
        ),
      ),
  ),
  session_id: z.optional(z.string().check(z.describe('Session id or title.'))),
  around_message_id: z.optional(z.int().check(z.describe('Message id from a search result. Requires session_id.'))),
  window: z._default(
    z.int().check(z.describe('Number of messages before and after around_message_id (at most 20).')),
    5,
  ),
  limit: z._default(z.int().check(z.describe('Maximum number of sessions to return (at most 10).')), 3),
  role_filter: z._default(
    z.string().check(z.describe('Roles to include, comma-separated: user, assistant, tool.')),
    'user,assistant',
  ),
});

export type SessionSearchArguments = z.output<typeof parameters>;

export const sessionSearchTool = defineTool({
  name: 'session_search',
  toolset: 'session_search',
  emoji: '🗂️',
  description:
    'Search and read past sessions. Use it when the user refers to earlier work, or before you solve a problem that may have been solved before. With query: full-text search that returns sessions with message ids and snippets. With session_id: return the first and last messages of the session; add query to search the session, or around_message_id to read the messages around one message. With neither: list the most recent sessions.',
  parameters,
  concurrency: { mode: 'parallel' },
  readOnly: true,
  // Sessions contain text from web pages and files.
  outsideText: true,
  requiredServices: ['sessions'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { runSessionSearch } = await import('./recalling/search-sessions.ts');
    return runSessionSearch(args, context);
  },
});
