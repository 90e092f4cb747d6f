type ImageSize = { width: number; height: number };
type ImageKind = { name: string; matches(bytes: DataView): boolean; size(bytes: DataView): ImageSize | undefined };

/** Raster formats. SVG is read as text. */
const IMAGE_KINDS: readonly ImageKind[] = [
  {
    name: 'a PNG image',
    matches: (view) => startsWith(view, '\x89PNG\r\n\x1a\n'),
    size: (view) => at(view, 24, () => ({ width: view.getUint32(16), height: view.getUint32(20) })),
  },
  {
    name: 'a GIF image',
    matches: (view) => startsWith(view, 'GIF87a') || startsWith(view, 'GIF89a'),
    size: (view) => at(view, 10, () => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) })),
  },
  { name: 'a JPEG image', matches: (view) => startsWith(view, '\xff\xd8\xff'), size: jpegSize },
  {
    name: 'a WebP image',
    matches: (view) => startsWith(view, 'RIFF') && startsWith(view, 'WEBP', 8),
    size: webpSize,
  },
  {
    name: 'a BMP image',
    matches: (view) => startsWith(view, 'BM') && view.byteLength >= 26 && view.getUint32(6, true) === 0,
    size: (view) => ({ width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }),
  },
];

/** Describes an image by its first bytes: "a PNG image of 640 × 480 pixels". Undefined for other files. */
export function describeImage(head: Uint8Array): string | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const kind = IMAGE_KINDS.find(({ matches }) => matches(view));
  if (!kind) return undefined;
  const size = kind.size(view);
  return size === undefined ? kind.name : `${kind.name} of ${size.width} × ${size.height} pixels`;
}

function startsWith(view: DataView, text: string, offset = 0): boolean {
  if (view.byteLength < offset + text.length) return false;
  return [...text].every((character, index) => view.getUint8(offset + index) === character.charCodeAt(0));
}

function at(view: DataView, length: number, read: () => ImageSize): ImageSize | undefined {
  return view.byteLength < length ? undefined : read();
}

/** The size is in a frame header, after segments of varying length. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let index = 2; index + 9 < view.byteLength && view.getUint8(index) === 0xff; ) {
    const marker = view.getUint8(index + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(index + 5), width: view.getUint16(index + 7) };
    index += 2 + view.getUint16(index + 2);
  }
  return undefined;
}

/** WebP has three variants with the size at different offsets. */
function webpSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 30) return undefined;
  if (startsWith(view, 'VP8X', 12)) return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  if (startsWith(view, 'VP8L', 12)) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function uint24(view: DataView, offset: number): number {
  return view.getUint16(offset, true) | (view.getUint8(offset + 2) << 16);
}
