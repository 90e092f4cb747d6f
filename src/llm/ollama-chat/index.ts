import { runDecoder, type WireFormat } from '../wire-format.ts';
import { encodeOllama } from './encode.ts';

/** Ollama's own API. Unlike its OpenAI-compatible API, it accepts the context window in a request. */
export const ollamaChat: WireFormat = {
  path: '/api/chat',
  modelsPath: '/v1/models',
  // Most configured base URLs are those of the OpenAI-compatible API.
  foreignSuffix: '/v1',
  framing: 'ndjson',
  headers: {},
  authHeader: 'bearer',
  // It accepts images and no other files.
  attachmentKinds: ['image'],
  mandatory: ['model', 'messages'],
  encode: encodeOllama,
  decode: async () => runDecoder((await import('./decode.ts')).ollamaDecoder),
};
