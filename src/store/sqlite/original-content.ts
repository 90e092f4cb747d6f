import { type Attachment, isJsonObject, type JsonValue } from '../../base/index.ts';
import type { ExportedBlob } from '../../contracts/index.ts';
import { blockText, plainContent, readBlocks } from '../rows/block-content.ts';
import { blobHash } from '../operations/blobs.ts';

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,]*)?;base64,([^]*)$/;

export type OriginalContent = { text: string; attachments: Attachment[]; blobs: ExportedBlob[] };

/**
 * The text of a message, and the bytes that stood in its blocks: those that a user message can carry become its
 * attachments, the others are named in the text by their hash.
 */
export function readContent(content: string, role: string | undefined): OriginalContent {
  const blocks = readBlocks(content);
  if (!Array.isArray(blocks)) return { text: plainContent(content), attachments: [], blobs: [] };
  const read: OriginalContent = { text: '', attachments: [], blobs: [] };
  const texts = blocks.flatMap((block) => {
    const blob = findBytes(block);
    if (blob === undefined) return [blockText(block)];
    read.blobs.push(blob);
    const attachment = role === 'user' ? toAttachment(blob, read.attachments.length + 1) : undefined;
    if (attachment === undefined) return [`[${blob.mediaType}, sha256 ${blob.hash}]`];
    read.attachments.push(attachment);
    return [];
  });
  return { ...read, text: texts.join('\n') };
}

function toAttachment({ mediaType, hash, base64 }: ExportedBlob, number: number): Attachment | undefined {
  const kind = mediaType.startsWith('image/') ? 'image' : mediaType === 'application/pdf' ? 'document' : undefined;
  const name = `${kind}-${number}.${mediaType.split('/')[1]}`;
  return kind && { kind, mediaType, name, hash, size: Buffer.byteLength(base64, 'base64') };
}

/** Bytes as the wire formats carry them: in an address, or beside their type. */
function findBytes(block: JsonValue): ExportedBlob | undefined {
  if (!isJsonObject(block) || typeof block['text'] === 'string') return undefined;
  const { image_url: image, source } = block;
  const address = isJsonObject(image) ? image['url'] : image;
  const [, type, data] = typeof address === 'string' ? (DATA_URL.exec(address) ?? []) : [];
  if (type !== undefined && data !== undefined) return toBlob(type, data);
  if (!isJsonObject(source) || typeof source['data'] !== 'string') return undefined;
  return toBlob(typeof source['media_type'] === 'string' ? source['media_type'] : '', source['data']);
}

function toBlob(type: string, data: string): ExportedBlob | undefined {
  const bytes = Buffer.from(data, 'base64');
  const mediaType = type === '' ? 'application/octet-stream' : type;
  return bytes.length === 0 ? undefined : { hash: blobHash(bytes), mediaType, base64: bytes.toString('base64') };
}
