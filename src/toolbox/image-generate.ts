import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';
import { locateImage } from './media/locate-image.ts';

const parameters = z.object({
  prompt: z.string().check(z.minLength(1), z.maxLength(20_000)),
  aspect_ratio: z._default(z.enum(['landscape', 'square', 'portrait']), 'landscape'),
  image_url: z.optional(z.string().check(z.minLength(1), z.describe('path or address of an image to change'))),
  output_path: z.optional(z.string().check(z.minLength(1))),
});

export type ImageArguments = z.output<typeof parameters>;

/** What is only read counts as written, so that a call waits for the one that makes its image. */
function touchedFiles({ image_url, output_path }: ImageArguments): string[] {
  const source = image_url === undefined ? undefined : locateImage(image_url);
  return [output_path, source?.kind === 'file' ? source.path : undefined].filter((path) => path !== undefined);
}

export const imageGenerateTool = defineTool({
  name: 'image_generate',
  toolset: 'image_gen',
  emoji: '🎨',
  asksBefore: 'reading files that hold secrets, writing to protected places and outside of the working directory',
  description: 'Make an image from a description, or change one. It is saved as a file, whose path is the answer.',
  parameters,
  concurrency: (args) => {
    const paths = touchedFiles(args);
    return paths.length === 0 ? { mode: 'parallel' } : { mode: 'paths', access: 'write', paths };
  },
  requiredServices: ['imageMaker'],
  async run(args, context) {
    // Loaded when it is first used, with all that it needs.
    const { makeImage } = await import('./media/make-image.ts');
    return makeImage(args, context);
  },
});
