import { encodeAnthropic } from './encode.ts';
import { speedHeaders } from '../speed.ts';
import { runDecoder, type WireFormat } from '../wire-format.ts';

/** Anthropic's API, and compatible servers with their own path. */
export const anthropicMessages: WireFormat = {
  path: '/messages',
  version: '/v1',
  framing: 'sse',
  headers: { 'anthropic-version': '2023-06-01' },
  headersFor: (request, { model, quirks }) => speedHeaders(request, model, quirks.speed ?? 'anthropic'),
  authHeader: 'x-api-key',
  toolResultImages: true,
  // The API rejects every request without an output limit.
  mandatory: ['model', 'messages', 'max_tokens'],
  encode: encodeAnthropic,
  decode: async () => runDecoder((await import('./decode.ts')).anthropicDecoder),
};
