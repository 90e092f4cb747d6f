import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { ExportedBlob } from '../../contracts/index.ts';
import { BLOCKS_MARK } from '../block-content.ts';
import { hashOf } from './blobs.ts';

const DATA_URL = /^data:([^;,]+)(?:;[^,]*)?;base64,([^]*)$/;

export type OriginalContent = { text: string; blobs: ExportedBlob[] };

/** The text of a message. Bytes in its blocks are given apart, and the text names them by their hash. */
export function readContent(content: string): OriginalContent {
  if (!content.startsWith(BLOCKS_MARK)) return { text: content, blobs: [] };
  const written = content.slice(BLOCKS_MARK.length);
  const blocks = parseJson(written);
  if (!Array.isArray(blocks)) return { text: typeof blocks === 'string' ? blocks : written, blobs: [] };
  const parts = blocks.map(readBlock);
  return { text: parts.map(({ text }) => text).join('\n'), blobs: parts.flatMap(({ blob }) => blob ?? []) };
}

// What is neither text nor bytes leaves a mark, so that it is seen that something was there.
function readBlock(block: JsonValue): { text: string; blob?: ExportedBlob } {
  if (typeof block === 'string') return { text: block };
  if (!isJsonObject(block)) return { text: '' };
  if (typeof block['text'] === 'string') return { text: block['text'] };
  const blob = findBytes(block);
  if (blob !== undefined) return { text: `[${blob.mediaType}, sha256 ${blob.hash}]`, blob };
  return { text: `[${typeof block['type'] === 'string' ? block['type'] : 'attachment'}]` };
}

/** Bytes as the wire formats carry them: in an address, or beside their type. */
function findBytes({ image_url: image, source }: JsonObject): ExportedBlob | undefined {
  const address = isJsonObject(image) ? image['url'] : image;
  const [, type, data] = typeof address === 'string' ? (DATA_URL.exec(address) ?? []) : [];
  if (type !== undefined && data !== undefined) return toBlob(type, data);
  if (!isJsonObject(source) || typeof source['data'] !== 'string') return undefined;
  return toBlob(
    typeof source['media_type'] === 'string' ? source['media_type'] : 'application/octet-stream',
    source['data'],
  );
}

function toBlob(mediaType: string, data: string): ExportedBlob | undefined {
  const bytes = Buffer.from(data, 'base64');
  return bytes.length === 0 ? undefined : { hash: hashOf(bytes), mediaType, base64: bytes.toString('base64') };
}
