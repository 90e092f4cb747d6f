import { isJsonObject, type JsonValue, parseJson } from '../../base/index.ts';

/** The prefix by which the original marks content that is a list of blocks instead of text. */
export const BLOCKS_PREFIX = '\0json:';

/** The text of stored content; a non-text block leaves a placeholder. */
export function plainContent(content: string): string {
  const blocks = readBlocks(content);
  // Our own text may start with the prefix by chance; it is returned unchanged.
  if (typeof blocks !== 'object' || blocks === null) return content;
  return Array.isArray(blocks) ? blocks.map(blockText).join('\n') : JSON.stringify(blocks);
}

/** The blocks after the prefix; undefined if there is no prefix. */
export function readBlocks(content: string): JsonValue | undefined {
  return content.startsWith(BLOCKS_PREFIX) ? parseJson(content.slice(BLOCKS_PREFIX.length)) : undefined;
}

export function blockText(block: JsonValue): string {
  if (typeof block === 'string') return block;
  if (!isJsonObject(block)) return '';
  if (typeof block['text'] === 'string') return block['text'];
  return `[${typeof block['type'] === 'string' ? block['type'] : 'attachment'}]`;
}
