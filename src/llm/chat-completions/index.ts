import { chatDecoder } from './decode.ts';
import { encodeChat } from './encode.ts';
import { runDecoder, type WireFormat } from '../wire-format.ts';

/** The API that nearly every provider and every local server speaks, each with habits of its own. */
export const chatCompletions: WireFormat = {
  path: '/chat/completions',
  framing: 'sse',
  headers: {},
  authHeader: 'bearer',
  mandatory: ['model', 'messages'],
  encode: encodeChat,
  decode: () => runDecoder(chatDecoder),
};
