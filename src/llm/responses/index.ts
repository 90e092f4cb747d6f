import { encodeResponses } from './encode.ts';
import { runDecoder, type WireFormat } from '../wire-format.ts';

/** OpenAI's Responses API, for OpenAI and Codex. */
export const codexResponses: WireFormat = {
  path: '/responses',
  framing: 'sse',
  headers: {},
  authHeader: 'bearer',
  toolResultImages: false,
  mandatory: ['model', 'input'],
  encode: encodeResponses,
  decode: async () => runDecoder((await import('./decode.ts')).responsesDecoder),
};
