import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  urls: z.array(z.string()).check(z.minLength(1), z.maxLength(5)),
  char_limit: z._default(z.int().check(z.gte(1000), z.describe('Maximum number of characters per page.')), 15_000),
});

export type WebExtractArguments = z.output<typeof parameters>;

export const webExtractTool = defineTool({
  name: 'web_extract',
  toolset: 'web',
  emoji: '📄',
  description:
    'Fetch up to 5 web pages or PDF files and return their main content as Markdown. Pages over char_limit characters are shortened (truncated or summarised) and saved in full to a file named in the result. Pages that need JavaScript may be returned empty. {{tool_search: To read such a page, find the browser tools with tool_search.}} Local and private addresses are refused.',
  parameters,
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  requiredServices: ['webPages'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { extractPages } = await import('./web/extract-pages.ts');
    return extractPages(args, context);
  },
});
