import type { ImageServiceConfig, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { safeFetch } from '../../tools/safe-fetch/index.ts';
import { detectFileType } from '../../util/index.ts';
import type { ImageArguments } from '../image-generate.ts';
import { describeImage } from '../reading/image.ts';
import { refuseCredentials } from '../asking/call-service.ts';
import { callPaidService } from './call-paid-service.ts';
import { IMAGE_SERVICES, type ImageService, type GeneratedImage } from './image-services.ts';
import { type LoadedImage, loadImage } from './describe-image.ts';
import { planFile, saveFile } from './save-file.ts';

const MAX_BYTES = 30 * 1024 * 1024;
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Generates an image with the configured service and saves it. */
export async function generateImage(args: ImageArguments, context: ToolContext): Promise<string> {
  const maker = context.services.imageService;
  if (maker === undefined) throw new ToolFailure('No image service is configured.');
  refuseCredentials(args.prompt);
  const plan = await planFile(args.output_path, { kind: 'image', extension: 'png' }, context, 'image_generate');
  const service = IMAGE_SERVICES[maker.backend];
  const image = args.image_url === undefined ? undefined : await sourceOf(args.image_url, context);
  const made = await order({ ...args, image }, service, maker, context);
  const bytes = await bytesOf(made, service, maker, context.signal);
  const type = detectFileType(bytes);
  if (type?.kind !== 'image')
    throw new ToolFailure(`The response of ${service.name} is not an image, so nothing was saved.`);
  const path = await saveFile(plan, { bytes, extension: EXTENSIONS[type.mediaType] ?? 'png' }, context);
  return `Saved ${path}: ${describeImage(bytes) ?? 'an image'}, ${bytes.length} bytes.`;
}

/** The image to edit. */
function sourceOf(location: string, context: ToolContext): Promise<LoadedImage> {
  const { allowPrivate = false, isBlocked } = context.services.webPages ?? {};
  return loadImage(location, { toolName: 'image_generate', allowPrivate, ...(isBlocked && { isBlocked }) }, context);
}

async function order(
  { prompt, aspect_ratio: aspect, image }: ImageArguments & { image: LoadedImage | undefined },
  service: ImageService,
  maker: ImageServiceConfig,
  context: ToolContext,
): Promise<GeneratedImage> {
  const model = maker.model ?? service.model;
  const request = service.request({ prompt, aspect, image, model, key: maker.key });
  const body = await callPaidService({ purpose: 'image_generate', service, maker, model, request }, context);
  const made = service.parse(new TextDecoder().decode(body));
  if (made !== undefined) return made;
  throw new ToolFailure(`The response of ${service.name} contains no image, or its format is unknown.`);
}

/**
 * Returns the bytes of the image. If the service returned a URL, the image is downloaded without sending the API key.
 */
async function bytesOf(made: GeneratedImage, service: ImageService, maker: ImageServiceConfig, signal: AbortSignal) {
  if ('base64' in made) return Buffer.from(made.base64, 'base64');
  // Only the host that the user configured may be on a private network.
  const ownServer = maker.url !== undefined && hostOf(made.url) === hostOf(maker.url);
  const limits = { maxBytes: MAX_BYTES, timeoutMs: 60_000 };
  // The service returns signed URLs, which look like they contain a key.
  const answer = await safeFetch(made.url, { signal, ownServer, mayHoldKey: true, ...limits });
  if (answer.status >= 400) {
    throw new ToolFailure(`${service.name} generated an image, but downloading it failed (status ${answer.status}).`);
  }
  if (answer.cut) throw new ToolFailure(`The image from ${service.name} exceeds ${MAX_BYTES / 1024 / 1024} MB.`);
  return answer.body;
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
