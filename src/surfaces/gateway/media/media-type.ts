import { detectFileType } from '../../../util/index.ts';
import type { MediaKind } from './media-cache.ts';

/** What a file is according to its content. `text` is set for text files. */
export type MediaType = { kind: MediaKind; mediaType: string; extension: string; text?: string };

type Signature = { at: number; bytes: string; type: MediaType };

const audio = (mediaType: string, extension: string): MediaType => ({ kind: 'audio', mediaType, extension });
const video = (mediaType: string, extension: string): MediaType => ({ kind: 'video', mediaType, extension });

/** The first that matches counts. */
const SIGNATURES: readonly Signature[] = [
  { at: 0, bytes: 'OggS', type: audio('audio/ogg', '.ogg') },
  { at: 0, bytes: 'fLaC', type: audio('audio/flac', '.flac') },
  { at: 0, bytes: 'ID3', type: audio('audio/mpeg', '.mp3') },
  { at: 8, bytes: 'WAVE', type: audio('audio/wav', '.wav') },
  { at: 4, bytes: 'ftypM4A', type: audio('audio/mp4', '.m4a') },
  { at: 4, bytes: 'ftypqt', type: video('video/quicktime', '.mov') },
  { at: 4, bytes: 'ftypheic', type: { kind: 'document', mediaType: 'image/heic', extension: '.heic' } },
  { at: 4, bytes: 'ftypavif', type: { kind: 'document', mediaType: 'image/avif', extension: '.avif' } },
  { at: 4, bytes: 'ftyp', type: video('video/mp4', '.mp4') },
  { at: 0, bytes: '\x1aE\xdf\xa3', type: video('video/webm', '.webm') },
  { at: 0, bytes: 'PK\x03\x04', type: { kind: 'document', mediaType: 'application/zip', extension: '.zip' } },
];
const IMAGE_EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
};

/** Detects the type of a file from its content, whatever the sender or the platform says. */
export function detectMediaType(bytes: Uint8Array): MediaType {
  const known = detectFileType(bytes);
  if (known?.kind === 'image')
    return { kind: 'image', mediaType: known.mediaType, extension: IMAGE_EXTENSIONS[known.mediaType] ?? '' };
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const found = SIGNATURES.find((signature) => head.startsWith(signature.bytes, signature.at))?.type;
  if (found !== undefined) return found;
  if (isMpegFrame(bytes)) return audio('audio/mpeg', '.mp3');
  const text = decodeText(bytes);
  // A text that only mentions the signature of PDF files is not one.
  if (known !== undefined && (text === undefined || head.startsWith('%PDF-')))
    return { kind: 'document', mediaType: 'application/pdf', extension: '.pdf' };
  if (text !== undefined) return { kind: 'document', mediaType: 'text/plain', extension: '.txt', text };
  return { kind: 'document', mediaType: 'application/octet-stream', extension: '' };
}

/** The sync word of MPEG audio and its layer, which is never zero. */
function isMpegFrame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0;
}

/** The text of a file in UTF-8; undefined for binary content. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // oxlint-disable-next-line no-control-regex -- these are what distinguishes binary files
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
