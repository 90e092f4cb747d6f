import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';
import { locateImage } from './media/locate-image.ts';

const parameters = z.object({
  image_url: z.string().check(z.minLength(1), z.describe('File path or https URL of the image.')),
  question: z.string().check(z.minLength(1), z.maxLength(10_000)),
});

export type VisionArguments = z.output<typeof parameters>;

export const visionAnalyzeTool = defineTool({
  name: 'vision_analyze',
  toolset: 'vision',
  emoji: '👁️',
  asksBefore: 'reading files that contain secrets',
  description:
    'Ask a vision model a question about an image file or URL (PNG, JPEG, GIF, WebP, up to 20 MB) and return its answer.',
  parameters,
  concurrency: ({ image_url }) => {
    const location = locateImage(image_url);
    return location.kind === 'file' ? { mode: 'paths', access: 'read', paths: [location.path] } : { mode: 'parallel' };
  },
  readOnly: true,
  outsideText: true,
  requiredServices: ['imageDescriber', 'imageSources'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { analyzeImage } = await import('./media/describe-image.ts');
    return analyzeImage(args, context);
  },
});
