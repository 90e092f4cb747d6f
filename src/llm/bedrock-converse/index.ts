import { runDecoder, type WireFormat } from '../wire-format.ts';
import { encodeConverse } from './encode.ts';
import { createEventStreamReader } from './event-stream.ts';

/** The Converse API of Amazon Bedrock, which is the same for all models. */
export const bedrockConverse: WireFormat = {
  path: '/model/{model}/converse-stream',
  wholePath: '/model/{model}/converse',
  framing: 'event-stream',
  createReader: createEventStreamReader,
  headers: {},
  authHeader: 'bearer',
  toolResultImages: true,
  mandatory: ['messages'],
  encode: encodeConverse,
  decode: async () => runDecoder((await import('./decode.ts')).converseDecoder),
};
