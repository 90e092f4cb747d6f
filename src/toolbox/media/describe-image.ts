import { basename } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import type { ImageSources, ToolContext } from '../../contracts/index.ts';
import { approveCall, QuotingFailure, ToolFailure } from '../../tools/index.ts';
import { safeFetch } from '../../tools/safe-fetch/index.ts';
import { detectFileType, describeUnsupportedType } from '../../util/index.ts';
import { findFile } from '../text-file.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import type { VisionArguments } from '../vision-analyze.ts';
import { locateImage } from './locate-image.ts';

/** Loads the image, validates it, and asks the vision model. */
export async function analyzeImage({ image_url, question }: VisionArguments, context: ToolContext): Promise<string> {
  const { imageDescriber, imageSources } = context.services;
  if (imageDescriber === undefined || imageSources === undefined) {
    throw new ToolFailure('No vision model is configured.');
  }
  const access = { toolName: 'vision_analyze', ...imageSources };
  const { bytes: image, name, mediaType } = await loadImage(image_url, access, context);
  const { signal, sessionId, taskId } = context;
  try {
    return await imageDescriber.describe({ image, mediaType, name, question, signal, sessionId, taskId });
  } catch (thrown) {
    signal.throwIfAborted();
    throw new QuotingFailure(`Could not describe ${name}: ${errorMessage(thrown)}`);
  }
}

/** The largest image that providers accept, before base64 adds a third. */
const MAX_BYTES = 20_000_000;
const DOWNLOAD_MS = 30_000;
const HEADERS = {
  accept: 'image/png, image/jpeg, image/webp, image/gif;q=0.9, */*;q=0.1',
  'user-agent': 'Mozilla/5.0 (compatible; hermes-agent)',
};

type FoundImage = { bytes: Uint8Array; name: string };
export type LoadedImage = FoundImage & { mediaType: string };
type ImageAccess = { toolName: string } & ImageSources;

/** Loads the image at a path or URL, subject to read approval. */
export async function loadImage(given: string, access: ImageAccess, context: ToolContext): Promise<LoadedImage> {
  const location = locateImage(given);
  if (location.kind === 'address')
    await approveCall({ name: access.toolName, reads: true, asks: false, sends: true }, location.url, context);
  const found =
    location.kind === 'file'
      ? await readImage(location.path, access.toolName, context)
      : await fetchImage(location.url, access, context.signal);
  return { ...found, mediaType: requireImage(found) };
}

async function readImage(path: string, toolName: string, context: ToolContext): Promise<FoundImage> {
  const { size } = await findFile(path, context, toolName);
  if (size > MAX_BYTES) throw tooLarge(path);
  // One byte more than the limit, because the file may have grown since.
  const part = { offset: 0, length: MAX_BYTES + 1 };
  const bytes = await explainFileErrors(path, 'read', () => context.environment.readFile(path, part));
  if (bytes.length > MAX_BYTES) throw tooLarge(path);
  return { bytes, name: basename(path) };
}

async function fetchImage(
  address: string,
  { allowPrivate, isBlocked }: ImageSources,
  signal: AbortSignal,
): Promise<FoundImage> {
  const limits = { maxBytes: MAX_BYTES, timeoutMs: DOWNLOAD_MS };
  const rules = { headers: HEADERS, allowPrivate, isBlocked, signal };
  const { url, status, body, cut } = await safeFetch(address, { ...rules, ...limits });
  const { host, pathname } = new URL(url);
  if (status >= 400) throw new ToolFailure(`Could not download the image: ${host} returned status ${status}.`);
  if (cut) throw tooLarge(address);
  return { bytes: body, name: basename(pathname) || host };
}

/** Detects the media type from the bytes, because file names and servers are often wrong. */
function requireImage({ bytes, name }: FoundImage): string {
  if (bytes.length === 0) throw new ToolFailure(`${name} is empty.`);
  const type = detectFileType(bytes);
  if (type?.kind === 'image') return type.mediaType;
  const what = type === undefined ? (describeUnsupportedType(bytes) ?? 'not an image') : 'a PDF file';
  throw new ToolFailure(`${name} is ${what}. Supported formats: PNG, JPEG, GIF and WebP.`);
}

function tooLarge(name: string): ToolFailure {
  return new ToolFailure(`${name} exceeds the maximum of ${MAX_BYTES / 1_000_000} MB. Create a smaller copy first.`);
}
