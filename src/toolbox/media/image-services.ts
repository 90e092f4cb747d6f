import type { JsonObject, JsonValue } from '../../base/index.ts';
import type { ImageBackend } from '../../contracts/index.ts';
import { parseBody, bearer, firstOf, keyHeader, objectIn, type ServiceRequest } from '../asking/call-service.ts';
import { type PaidService, usageFromOpenrouter, usageFromXai, usageFromOpenai } from './call-paid-service.ts';
import type { LoadedImage } from './describe-image.ts';

type AspectRatio = 'landscape' | 'square' | 'portrait';
type ImageRequest = {
  prompt: string;
  aspect: AspectRatio;
  model: string;
  key: string | undefined;
  /** The image to edit; undefined to generate a new one. */
  image: LoadedImage | undefined;
};
/** The image itself, or the URL to download it from. */
export type GeneratedImage = { base64: string } | { url: string };

/** The request and response format of an image service. */
export type ImageService = PaidService & {
  /** The default model. */
  model: string;
  request(order: ImageRequest): ServiceRequest;
  /** Undefined if the response has no image or its format is unknown. */
  parse(body: string): GeneratedImage | undefined;
};

const SIZES: Readonly<Record<AspectRatio, string>> = {
  landscape: '1536x1024',
  square: '1024x1024',
  portrait: '1024x1536',
};
const RATIOS: Readonly<Record<AspectRatio, string>> = { landscape: '16:9', square: '1:1', portrait: '9:16' };

export const IMAGE_SERVICES: Readonly<Record<ImageBackend, ImageService>> = {
  fal: {
    name: 'FAL',
    url: 'https://fal.run',
    model: 'fal-ai/flux-2/klein/9b',
    // Images are edited by a separate model, whose name ends in `/edit`.
    request: ({ prompt, aspect, model, key, image }) => ({
      path: `/${model.replace(/^\/+|\/edit$/g, '')}${image === undefined ? '' : '/edit'}`,
      headers: keyHeader('authorization', key, 'Key '),
      body: {
        prompt,
        num_images: 1,
        output_format: 'png',
        image_size: { landscape: 'landscape_16_9', square: 'square_hd', portrait: 'portrait_16_9' }[aspect],
        ...(image && { image_urls: [dataUrl(image)] }),
      },
    }),
    parse: (body) => atAddress(firstOf(parseBody(body)?.['images'])?.['url']),
  },
  openai: {
    name: 'OpenAI',
    url: 'https://api.openai.com/v1',
    model: 'gpt-image-1',
    request: (order) => (order.image ? edit(order, order.image) : generation(order, { size: SIZES[order.aspect] })),
    parse: parseGeneration,
    chargedAmount: usageFromOpenai,
  },
  xai: {
    name: 'xAI',
    url: 'https://api.x.ai/v1',
    model: 'grok-imagine-image',
    request({ image, ...order }) {
      const form = { aspect_ratio: RATIOS[order.aspect], response_format: 'b64_json' };
      if (image === undefined) return generation(order, form);
      const source = { type: 'image_url', url: dataUrl(image) };
      return { ...generation(order, { ...form, image: source }), path: '/images/edits' };
    },
    parse: parseGeneration,
    chargedAmount: usageFromXai,
  },
  openrouter: {
    name: 'OpenRouter',
    url: 'https://openrouter.ai/api/v1',
    model: 'google/gemini-2.5-flash-image',
    request: ({ prompt, aspect, model, key, image }) => ({
      path: '/chat/completions',
      headers: bearer(key),
      body: {
        model,
        messages: [{ role: 'user', content: image ? withImage(prompt, image) : prompt }],
        modalities: ['image', 'text'],
        image_config: { aspect_ratio: RATIOS[aspect] },
        usage: { include: true },
      },
    }),
    // Image models answer as a chat message with the image attached.
    parse(body) {
      const message = objectIn(firstOf(parseBody(body)?.['choices']), 'message');
      return atAddress(objectIn(firstOf(message?.['images']), 'image_url')?.['url']);
    },
    chargedAmount: usageFromOpenrouter,
  },
  deepinfra: {
    name: 'DeepInfra',
    url: 'https://api.deepinfra.com/v1/openai',
    model: 'black-forest-labs/FLUX-1-schnell',
    request: (order) =>
      order.image
        ? edit(order, order.image)
        : generation(order, { size: SIZES[order.aspect], response_format: 'b64_json' }),
    parse: parseGeneration,
    chargedAmount: usageFromOpenai,
  },
};

/** The request format of OpenAI, which most self-hosted servers share. */
function generation({ prompt, model, key }: Omit<ImageRequest, 'image'>, more: JsonObject): ServiceRequest {
  return { path: '/images/generations', headers: bearer(key), body: { model, prompt, n: 1, ...more } };
}

/** This endpoint accepts files only as multipart form data. */
function edit({ prompt, model, key, aspect }: ImageRequest, { bytes, mediaType, name }: LoadedImage): ServiceRequest {
  const body = new FormData();
  for (const [field, value] of Object.entries({ model, prompt, n: '1', size: SIZES[aspect] }))
    body.append(field, value);
  body.append('image', new Blob([new Uint8Array(bytes)], { type: mediaType }), name);
  return { path: '/images/edits', headers: bearer(key), body };
}

function withImage(prompt: string, image: LoadedImage): JsonValue {
  return [
    { type: 'text', text: prompt },
    { type: 'image_url', image_url: { url: dataUrl(image) } },
  ];
}

function dataUrl({ bytes, mediaType }: LoadedImage): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}

function parseGeneration(body: string): GeneratedImage | undefined {
  const image = firstOf(parseBody(body)?.['data']);
  const inside = image?.['b64_json'];
  return typeof inside === 'string' && inside !== '' ? { base64: inside } : atAddress(image?.['url']);
}

function atAddress(url: JsonValue | undefined): GeneratedImage | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  const inside = /^data:image\/[\w.+-]+;base64,/.exec(url.slice(0, 100));
  return inside === null ? { url } : { base64: url.slice(inside[0].length) };
}
