import * as z from 'zod/mini';
import { askAboutPage, defineBrowserTool } from './browsing/browser-calls.ts';

export const browserVisionTool = defineBrowserTool({
  name: 'browser_vision',
  emoji: '👁️',
  description:
    'Ask a vision model a question about a screenshot of the visible part of the browser page. Use it for content that a snapshot does not contain, such as layout, charts and images.',
  parameters: z.object({
    question: z.string(),
    annotate: z._default(z.boolean().check(z.describe('Draw the element refs on the screenshot.')), false),
  }),
  requiredServices: ['browser', 'imageDescriber'],
  run: (args, context) => askAboutPage(args, context),
});
