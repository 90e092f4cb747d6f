import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';

const parameters = z.object({
  prompt: z.string().check(z.minLength(1), z.maxLength(20_000)),
  aspect_ratio: z._default(z.enum(['landscape', 'square', 'portrait']), 'landscape'),
  output_path: z.optional(z.string().check(z.minLength(1))),
});

export type ImageArguments = z.output<typeof parameters>;

export const imageGenerateTool = defineTool({
  name: 'image_generate',
  toolset: 'image_gen',
  emoji: '🎨',
  asksBefore: 'writing to protected places and outside of the working directory',
  description: 'Make an image from a description. It is saved as a file, whose path is the answer.',
  parameters,
  concurrency: ({ output_path }) =>
    output_path === undefined ? { mode: 'parallel' } : { mode: 'paths', access: 'write', paths: [output_path] },
  requiredServices: ['imageMaker'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { makeImage } = await import('./media/make-image.ts');
    return makeImage(args, context);
  },
});
