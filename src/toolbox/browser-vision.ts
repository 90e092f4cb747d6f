import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

export const browserVisionTool = defineTool({
  name: 'browser_vision',
  toolset: 'browser',
  emoji: '👁️',
  description:
    'Ask a question about how the page in the browser looks: a model that sees looks at the visible part. For what a snapshot does not say: layout, charts, images.',
  parameters: z.object({
    question: z.string(),
    annotate: z._default(z.boolean().check(z.describe('draw the refs into the image')), false),
  }),
  concurrency: { mode: 'barrier' },
  outsideText: true,
  onDemand: true,
  requiredServices: ['browser', 'imageReader'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { askAboutPage } = await import('./browsing/browser-calls.ts');
    return askAboutPage(args, context);
  },
});
