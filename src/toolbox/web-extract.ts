import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  urls: z.array(z.string()).check(z.minLength(1), z.maxLength(5)),
  char_limit: z._default(z.int().check(z.gte(1000)), 15_000),
});

export type WebExtractArguments = z.output<typeof parameters>;

export const webExtractTool = defineTool({
  name: 'web_extract',
  toolset: 'web',
  emoji: '📄',
  description: 'Read web pages or PDF files as Markdown. Long ones are cut, the whole is in a file.',
  parameters,
  concurrency: { mode: 'parallel' },
  readOnly: true,
  outsideText: true,
  requiredServices: ['webPages'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { extractPages } = await import('./web/extract-pages.ts');
    return extractPages(args, context);
  },
});
