import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';

/** Reads an answer, unpacked, up to a limit: it counts what comes out, because little can unfold into very much. */
export async function readLimited(
  answer: IncomingMessage,
  maxBytes: number,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  try {
    for await (const chunk of await unpacked(answer)) {
      const bytes = chunk as Uint8Array;
      chunks.push(bytes.subarray(0, left));
      left -= bytes.length;
      if (left < 0) break;
    }
    return { body: Buffer.concat(chunks), cut: left < 0 };
  } finally {
    answer.destroy();
  }
}

async function unpacked(answer: IncomingMessage): Promise<Readable> {
  const decoder = await decoderFor(answer.headers['content-encoding']?.trim().toLowerCase());
  if (decoder === undefined) return answer;
  const { pipeline } = await import('node:stream');
  // Whatever ends one of them ends the other; the reader sees the error.
  pipeline(answer, decoder, () => undefined);
  return decoder;
}

async function decoderFor(encoding: string | undefined): Promise<Transform | undefined> {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  return encoding === 'br' ? createBrotliDecompress() : createUnzip();
}
