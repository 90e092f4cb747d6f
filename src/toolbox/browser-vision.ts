import * as z from 'zod/mini';
import { askAboutPage, defineBrowserTool } from './browsing/browser-calls.ts';

export const browserVisionTool = defineBrowserTool({
  name: 'browser_vision',
  emoji: '👁️',
  description:
    'Ask a question about how the page in the browser looks: a model that sees looks at the visible part. For what a snapshot does not say: layout, charts, images.',
  parameters: z.object({
    question: z.string(),
    annotate: z._default(z.boolean().check(z.describe('draw the refs into the image')), false),
  }),
  requiredServices: ['browser', 'imageReader'],
  run: (args, context) => askAboutPage(args, context),
});
