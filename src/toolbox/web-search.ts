import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  query: z.string().check(z.minLength(1), z.maxLength(2000)),
  limit: z._default(z.int().check(z.gte(1), z.lte(100), z.describe('Maximum number of results to return.')), 5),
});

export type WebSearchArguments = z.output<typeof parameters>;

export const webSearchTool = defineTool({
  name: 'web_search',
  toolset: 'web',
  emoji: '🔍',
  description:
    'Search the web and return titles, URLs and snippets.{{web_extract:  Read the pages themselves with web_extract.}}',
  parameters,
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  requiredServices: ['webSearch'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { searchWeb } = await import('./web/search-web.ts');
    return searchWeb(args, context);
  },
});
