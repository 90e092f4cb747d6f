import type { SessionStore } from '../../../contracts/index.ts';
import { hashOfFile, type InputPart, type Item } from './items.ts';
import { includes } from './list-page.ts';

const IMAGES = 'message.input_image.image_url';

/** Adds the content of images to items, if the query asks for it. */
export async function withImages(
  store: Pick<SessionStore, 'getBlob'>,
  items: readonly Item[],
  query: URLSearchParams,
): Promise<Item[]> {
  if (!includes(query, IMAGES)) return [...items];
  return Promise.all(
    items.map(async (item): Promise<Item> => {
      if (item.type !== 'message' || item.role !== 'user') return item;
      return { ...item, content: await Promise.all(item.content.map((part) => withImage(store, part))) };
    }),
  );
}

async function withImage(store: Pick<SessionStore, 'getBlob'>, part: InputPart): Promise<InputPart> {
  const blob = part.type === 'input_image' ? await store.getBlob(hashOfFile(part.file_id)) : undefined;
  if (part.type !== 'input_image' || blob === undefined) return part;
  const data = Buffer.from(blob.bytes).toString('base64');
  return { ...part, image_url: `data:${blob.mediaType};base64,${data}` };
}
