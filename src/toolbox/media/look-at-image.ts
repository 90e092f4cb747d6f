import { errorMessage } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import type { VisionArguments } from '../vision-analyze.ts';
import { loadImage } from './load-image.ts';

/** Finds the image, makes sure that it is one, and asks the model that reads images. */
export async function lookAtImage({ image_url, question }: VisionArguments, context: ToolContext): Promise<string> {
  const { imageReader, imageSources } = context.services;
  if (imageReader === undefined || imageSources === undefined) {
    throw new ToolFailure('No model for images is configured.');
  }
  const access = { toolName: 'vision_analyze', ...imageSources };
  const { bytes: image, name, mediaType } = await loadImage(image_url, access, context);
  const { signal, sessionId, taskId } = context;
  try {
    return await imageReader.describe({ image, mediaType, name, question, signal, sessionId, taskId });
  } catch (thrown) {
    signal.throwIfAborted();
    throw new ToolFailure(`Nobody could look at ${name}: ${errorMessage(thrown)}`);
  }
}
