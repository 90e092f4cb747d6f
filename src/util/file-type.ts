import type { AttachedFile } from '../base/index.ts';

export type FileType = Pick<AttachedFile, 'kind' | 'mediaType'>;

type Signature = { at: number; bytes: string }[];

const SUPPORTED_IMAGES: readonly [mediaType: string, signature: Signature][] = [
  ['image/png', [{ at: 0, bytes: '\x89PNG\r\n\x1a\n' }]],
  ['image/jpeg', [{ at: 0, bytes: '\xff\xd8\xff' }]],
  ['image/gif', [{ at: 0, bytes: 'GIF8' }]],
  [
    'image/webp',
    [
      { at: 0, bytes: 'RIFF' },
      { at: 8, bytes: 'WEBP' },
    ],
  ],
];

/** Image formats that no provider accepts, named so that the user knows what to convert. */
const UNSUPPORTED_IMAGES: readonly [name: string, signature: Signature][] = [
  ['a BMP image', [{ at: 0, bytes: 'BM' }]],
  ['a TIFF image', [{ at: 0, bytes: 'II*\0' }]],
  ['a TIFF image', [{ at: 0, bytes: 'MM\0*' }]],
  ['a HEIC image', [{ at: 4, bytes: 'ftyphei' }]],
  ['a HEIC image', [{ at: 4, bytes: 'ftypmif1' }]],
  ['an AVIF image', [{ at: 4, bytes: 'ftypavif' }]],
  ['an SVG drawing', [{ at: 0, bytes: '<svg' }]],
];

/** PDF readers accept other bytes before the `%PDF-` signature. */
const PDF_SIGNATURE_RANGE = 1024;

/** Detects the type of a file from its first bytes, whatever its name is; undefined if models cannot read it. */
export function detectFileType(bytes: Uint8Array): FileType | undefined {
  const head = Buffer.from(bytes.subarray(0, PDF_SIGNATURE_RANGE)).toString('latin1');
  const image = SUPPORTED_IMAGES.find(([, signature]) => matchesSignature(head, signature))?.[0];
  if (image !== undefined) return { kind: 'image', mediaType: image };
  return head.includes('%PDF-') ? { kind: 'document', mediaType: 'application/pdf' } : undefined;
}

/** Names the format of a file that is not supported: `a HEIC image`. */
export function describeUnsupportedType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, PDF_SIGNATURE_RANGE)).toString('latin1');
  return UNSUPPORTED_IMAGES.find(([, signature]) => matchesSignature(head, signature))?.[0];
}

function matchesSignature(head: string, signature: Signature): boolean {
  return signature.every(({ at, bytes }) => head.startsWith(bytes, at));
}
