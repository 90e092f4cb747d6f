import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ModelError } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import type { Watch } from './watch.ts';

/** The bytes of a response, decompressed, with an error that says why they ended early. */
export async function* readBody(incoming: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array, void> {
  try {
    const bytes = await decompressed(incoming, watch);
    for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
      watch.touch();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw watch.explain(error);
  } finally {
    watch.stop();
  }
}

/** We ask for no compression, because it holds back the pieces of a stream; some servers compress all the same. */
async function decompressed(incoming: IncomingMessage, watch: Watch): Promise<Readable> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return incoming;
  const zlib = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  const makers = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const make = makers[encoding as keyof typeof makers] as (() => ReturnType<typeof zlib.createGunzip>) | undefined;
  if (make === undefined) {
    const message = `The answer is compressed as "${encoding}", which was not asked for and cannot be read.`;
    throw new ModelError(classifyFailure({ kind: 'invalid_response', message }));
  }
  const decompressor = make();
  // Compressed bytes count as signs of life even before they make up a readable piece.
  incoming.on('data', watch.touch);
  // The reader sees an error through the stream it reads; the callback only keeps it from being thrown twice.
  pipeline(incoming, decompressor, () => {});
  return decompressor;
}
