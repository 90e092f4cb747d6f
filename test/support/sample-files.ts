import { createHash } from 'node:crypto';
import type { AttachedFile, Attachment } from '../../src/base/index.ts';

/** One transparent pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** An empty page. */
export const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

export const imageFile = (name = 'cat.png', bytes: Uint8Array = PNG): AttachedFile => ({
  kind: 'image',
  mediaType: 'image/png',
  name,
  bytes,
});

export const pdfFile = (name = 'paper.pdf'): AttachedFile => ({
  kind: 'document',
  mediaType: 'application/pdf',
  name,
  bytes: PDF,
});

/** The reference to a file in a message. */
export function attachmentOf({ bytes, ...file }: AttachedFile, more: Partial<Attachment> = {}): Attachment {
  return { ...file, hash: createHash('sha256').update(bytes).digest('hex'), size: bytes.byteLength, ...more };
}

/** The bytes of files in the format of a request. */
export function blobsOf(...files: AttachedFile[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [attachmentOf(file).hash, Buffer.from(file.bytes).toString('base64')]));
}
