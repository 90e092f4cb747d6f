import { HttpError } from '../../http/index.ts';
import type { ApiRoute } from './api-context.ts';

/** Endpoints of OpenAI that an agent does not have, and what to use instead. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  '/v1/assistants': 'assistants. Use `/v1/responses` with a conversation',
  '/v1/audio/*rest': 'audio',
  '/v1/batches': 'batches. Use `/v1/responses` with `background`',
  '/v1/completions': 'text completions. Use `/v1/chat/completions`',
  '/v1/embeddings': 'embeddings. Use the API of a provider',
  '/v1/files': 'file uploads. Send images and PDF files in the message',
  '/v1/images/*rest': 'image requests. Ask for an image in a message',
  '/v1/moderations': 'moderations',
  '/v1/threads': 'threads. Use `/v1/responses` with a conversation',
};

/** Routes that say what to use instead, where a plain 404 would look like a wrong base URL. */
export function unsupportedRoutes(): ApiRoute[] {
  return Object.entries(UNSUPPORTED).flatMap(([path, what]) =>
    (['GET', 'POST'] as const).map((method) => ({
      method,
      path,
      handle: () => {
        throw new HttpError(404, 'unsupported_endpoint', `Hermes does not support ${what}.`);
      },
    })),
  );
}
