import { encodeChat } from './encode.ts';
import { runDecoder, type WireFormat } from '../wire-format.ts';

/** The API of nearly every provider and local server, each with its own deviations. */
export const chatCompletions: WireFormat = {
  path: '/chat/completions',
  framing: 'sse',
  headers: {},
  authHeader: 'bearer',
  mandatory: ['model', 'messages'],
  encode: encodeChat,
  decode: async () => runDecoder((await import('./decode.ts')).chatDecoder),
};
