import { type Protocol, runDecoder } from '../protocol.ts';
import { chatDecoder } from './decode.ts';
import { encodeChat } from './encode.ts';

/** The API that nearly every provider and every local server speaks, each with habits of its own. */
export const chatCompletions: Protocol = {
  path: () => '/chat/completions',
  headers: {},
  authHeader: 'bearer',
  mandatory: ['model', 'messages'],
  encode: encodeChat,
  decode: () => runDecoder(chatDecoder),
};
