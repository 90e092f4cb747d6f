import type { ExportedBlob } from '../../../../contracts/index.ts';
import { formatBytes } from '../format-bytes.ts';
import { escaped } from './html-text.ts';
import { sizeOf } from './readable-session.ts';

/** What every browser shows as an image; a drawing that could hold more than pixels is not among them. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Larger ones, and those beyond a sum, are named and not shown: a page must open. */
const LARGEST_IMAGE = 5_000_000;
const LARGEST_SUM = 50_000_000;

/** Puts images into a page as long as there is room for them. */
export function createBlobRenderer(): (blob: ExportedBlob) => string {
  let room = LARGEST_SUM;
  return (blob) => {
    const size = sizeOf(blob);
    const about = `${blob.mediaType}, ${formatBytes(size)}, sha256 ${blob.hash}`;
    const reason = reasonToLeaveOut(blob, size, room);
    if (reason !== undefined) return `<p class="note">${escaped(`Not shown, ${reason}: ${about}`)}</p>\n`;
    room -= size;
    const source = `data:${blob.mediaType};base64,${escaped(blob.base64)}`;
    const caption = `<figcaption>${escaped(about)}</figcaption>`;
    return `<figure><img alt="${escaped(blob.mediaType)}" src="${source}">${caption}</figure>\n`;
  };
}

function reasonToLeaveOut({ mediaType }: ExportedBlob, size: number, room: number): string | undefined {
  if (!SHOWN.includes(mediaType)) return 'because it is no image that is shown here';
  if (size > LARGEST_IMAGE) return `because it is larger than ${formatBytes(LARGEST_IMAGE)}`;
  return size > room ? `because the images of this page are ${formatBytes(LARGEST_SUM)} already` : undefined;
}
