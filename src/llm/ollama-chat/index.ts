import { runDecoder, type WireFormat } from '../wire-format.ts';
import { ollamaDecoder } from './decode.ts';
import { encodeOllama } from './encode.ts';

/** Ollama's own API: unlike its imitation of another one, it lets a request say how large the window is to be. */
export const ollamaChat: WireFormat = {
  path: '/api/chat',
  modelsPath: '/v1/models',
  // Most addresses in use are those of the imitation beside it.
  foreignEnd: '/v1',
  framing: 'ndjson',
  headers: {},
  authHeader: 'bearer',
  // It has a place for images and none for other files.
  carries: ['image'],
  mandatory: ['model', 'messages'],
  encode: encodeOllama,
  decode: () => runDecoder(ollamaDecoder),
};
