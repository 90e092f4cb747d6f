import { type Protocol, runDecoder } from '../protocol.ts';
import { responsesDecoder } from './decode.ts';
import { encodeResponses } from './encode.ts';

/** OpenAI's Responses API, as its own hosts and Codex speak it. */
export const codexResponses: Protocol = {
  path: () => '/responses',
  headers: {},
  authHeader: 'bearer',
  mandatory: ['model', 'input'],
  encode: encodeResponses,
  decode: () => runDecoder(responsesDecoder),
};
