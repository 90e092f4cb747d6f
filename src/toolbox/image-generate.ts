import * as z from 'zod/mini';
import { defineTool } from '../tools/index.ts';
import { locateImage } from './media/locate-image.ts';

const parameters = z.object({
  prompt: z.string().check(z.minLength(1), z.maxLength(20_000)),
  aspect_ratio: z._default(z.enum(['landscape', 'square', 'portrait']), 'landscape'),
  image_url: z.optional(
    z
      .string()
      .check(
        z.minLength(1),
        z.describe('File path or https URL of an image to edit. Omit image_url to generate a new image.'),
      ),
  ),
  output_path: z.optional(
    z
      .string()
      .check(
        z.minLength(1),
        z.describe('Path of the image file to write. Default: a new file in the current directory.'),
      ),
  ),
});

export type ImageArguments = z.output<typeof parameters>;

/** The source image counts as written too, so that this call waits for an earlier call that generates it. */
function touchedFiles({ image_url, output_path }: ImageArguments): string[] {
  const source = image_url === undefined ? undefined : locateImage(image_url);
  return [output_path, source?.kind === 'file' ? source.path : undefined].filter((path) => path !== undefined);
}

export const imageGenerateTool = defineTool({
  name: 'image_generate',
  toolset: 'image_gen',
  emoji: '🎨',
  asksBefore: 'reading files that contain secrets, and writing to protected paths or outside the working directory',
  description:
    'Generate an image from a text description, or edit an existing image. The image is saved to a file, and its path is returned. Every call costs money.',
  parameters,
  concurrency: (args) => {
    const paths = touchedFiles(args);
    return paths.length === 0 ? { mode: 'parallel' } : { mode: 'paths', access: 'write', paths };
  },
  requiredServices: ['imageService'],
  async run(args, context) {
    // Loaded on first use, together with its dependencies.
    const { generateImage } = await import('./media/generate-image.ts');
    return generateImage(args, context);
  },
});
