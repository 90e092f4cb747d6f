import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { ImageBackend } from '../../contracts/index.ts';
import { type AskedService, bearer, type ServiceRequest } from './ask-service.ts';

export type AspectRatio = 'landscape' | 'square' | 'portrait';
export type ImageOrder = { prompt: string; aspect: AspectRatio; model: string; key: string | undefined };
/** An image inside of the answer, or where to fetch it. */
export type MadeImage = { base64: string } | { url: string };

/** How one service is asked and how it answers. */
export type ImageService = AskedService & {
  /** The one that is used where none is named. */
  model: string;
  request(order: ImageOrder): ServiceRequest;
  /** Undefined where the answer has no image in a form that is known. */
  parse(body: string): MadeImage | undefined;
};

const SIZES: Readonly<Record<AspectRatio, string>> = {
  landscape: '1536x1024',
  square: '1024x1024',
  portrait: '1024x1536',
};
const RATIOS: Readonly<Record<AspectRatio, string>> = { landscape: '16:9', square: '1:1', portrait: '9:16' };

export const IMAGE_SERVICES: Readonly<Record<ImageBackend, ImageService>> = {
  fal: {
    ...{ name: 'FAL', url: 'https://fal.run', model: 'fal-ai/flux-2/klein/9b' },
    request: ({ prompt, aspect, model, key }) => ({
      path: `/${model.replace(/^\/+/, '')}`,
      headers: { ...(key !== undefined && { authorization: `Key ${key}` }) },
      body: {
        ...{ prompt, num_images: 1, output_format: 'png' },
        image_size: { landscape: 'landscape_16_9', square: 'square_hd', portrait: 'portrait_16_9' }[aspect],
      },
    }),
    parse: (body) => atAddress(firstOf(answerOf(body)?.['images'])?.['url']),
  },
  openai: {
    ...{ name: 'OpenAI', url: 'https://api.openai.com/v1', model: 'gpt-image-1' },
    request: (order) => generation(order, { size: SIZES[order.aspect] }),
    parse: parseGeneration,
  },
  xai: {
    ...{ name: 'xAI', url: 'https://api.x.ai/v1', model: 'grok-imagine-image' },
    request: (order) => generation(order, { aspect_ratio: RATIOS[order.aspect], response_format: 'b64_json' }),
    parse: parseGeneration,
  },
  openrouter: {
    ...{ name: 'OpenRouter', url: 'https://openrouter.ai/api/v1', model: 'google/gemini-2.5-flash-image' },
    request: ({ prompt, aspect, model, key }) => ({
      path: '/chat/completions',
      headers: bearer(key),
      body: {
        ...{ model, messages: [{ role: 'user', content: prompt }] },
        ...{ modalities: ['image', 'text'], image_config: { aspect_ratio: RATIOS[aspect] } },
      },
    }),
    // Models that draw answer in a chat, with the image beside the words.
    parse(body) {
      const message = firstOf(answerOf(body)?.['choices'])?.['message'];
      const image = isJsonObject(message) ? firstOf(message['images'])?.['image_url'] : undefined;
      return isJsonObject(image) ? atAddress(image['url']) : undefined;
    },
  },
  deepinfra: {
    ...{ name: 'DeepInfra', url: 'https://api.deepinfra.com/v1/openai', model: 'black-forest-labs/FLUX-1-schnell' },
    request: (order) => generation(order, { size: SIZES[order.aspect], response_format: 'b64_json' }),
    parse: parseGeneration,
  },
};

/** What OpenAI takes, and most servers of one's own. */
function generation({ prompt, model, key }: ImageOrder, more: JsonObject): ServiceRequest {
  return { path: '/images/generations', headers: bearer(key), body: { model, prompt, n: 1, ...more } };
}

function parseGeneration(body: string): MadeImage | undefined {
  const image = firstOf(answerOf(body)?.['data']);
  const inside = image?.['b64_json'];
  return typeof inside === 'string' && inside !== '' ? { base64: inside } : atAddress(image?.['url']);
}

function atAddress(url: unknown): MadeImage | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  const inside = /^data:image\/[\w.+-]+;base64,/.exec(url.slice(0, 100));
  return inside === null ? { url } : { base64: url.slice(inside[0].length) };
}

function answerOf(body: string): JsonObject | undefined {
  const answer = parseJson(body);
  return isJsonObject(answer) ? answer : undefined;
}

function firstOf(list: unknown): JsonObject | undefined {
  const [first] = Array.isArray(list) ? list : [];
  return isJsonObject(first) ? first : undefined;
}
