import { formatBytes } from '../format-bytes.ts';
import { escaped } from './html-text.ts';
import type { ReadableFile } from './readable-session.ts';

/** What every browser shows as an image; a drawing that could hold more than pixels is not among them. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Larger ones, and those beyond a sum, are named and not shown: a page must open. */
const LARGEST_IMAGE = 5_000_000;
const LARGEST_SUM = 50_000_000;

/** Puts images into a page as long as there is room for them. */
export function createFileRenderer(): (file: ReadableFile) => string {
  let room = LARGEST_SUM;
  return (file) => {
    const { name, mediaType, size, hash, base64 } = file;
    const about = `${name === undefined ? '' : `${name}, `}${mediaType}, ${formatBytes(size)}, sha256 ${hash}`;
    const reason = reasonToLeaveOut(file, room);
    const described = renderDescription(file);
    if (reason !== undefined || base64 === undefined) {
      return `<p class="note">${escaped(`Not shown, ${reason}: ${about}`)}</p>\n${described}`;
    }
    room -= size;
    const source = `data:${mediaType};base64,${escaped(base64)}`;
    const caption = `<figcaption>${escaped(about)}</figcaption>`;
    return `<figure><img alt="${escaped(mediaType)}" src="${source}">${caption}</figure>\n${described}`;
  };
}

function renderDescription({ description }: ReadableFile): string {
  if (description === undefined) return '';
  const block = `<pre dir="auto">${escaped(description)}</pre>`;
  return `<details><summary>Described for the model</summary>${block}</details>\n`;
}

function reasonToLeaveOut({ mediaType, size, base64 }: ReadableFile, room: number): string | undefined {
  if (base64 === undefined) return 'because its bytes are gone';
  if (!SHOWN.includes(mediaType)) return 'because it is no image that is shown here';
  if (size > LARGEST_IMAGE) return `because it is larger than ${formatBytes(LARGEST_IMAGE)}`;
  return size > room ? `because the images of this page are ${formatBytes(LARGEST_SUM)} already` : undefined;
}
