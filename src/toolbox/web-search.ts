import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  query: z.string().check(z.minLength(1), z.maxLength(2000)),
  limit: z._default(z.int().check(z.gte(1), z.lte(100)), 5),
});

export type WebSearchArguments = z.output<typeof parameters>;

export const webSearchTool = defineTool({
  name: 'web_search',
  toolset: 'web',
  emoji: '🔍',
  description:
    'Search the web: titles, addresses and a few words of each page.{{web_extract:  Read pages with web_extract.}}',
  parameters,
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  requiredServices: ['webSearch'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { searchWeb } = await import('./web/search-web.ts');
    return searchWeb(args, context);
  },
});
