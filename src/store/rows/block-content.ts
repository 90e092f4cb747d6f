import { isJsonObject, type JsonValue, parseJson } from '../../base/index.ts';

/** How the original marks content that is a list of blocks and no text. */
const BLOCKS_MARK = '\0json:';

/** The text of stored content; what is not text leaves a mark, so that it is seen that something was there. */
export function plainContent(content: string): string {
  const blocks = readBlocks(content);
  // Text of ours may begin like that by chance; it stays what it was.
  if (typeof blocks !== 'object' || blocks === null) return content;
  return Array.isArray(blocks) ? blocks.map(blockText).join('\n') : JSON.stringify(blocks);
}

/** What stands behind the mark, undefined where there is none. */
export function readBlocks(content: string): JsonValue | undefined {
  return content.startsWith(BLOCKS_MARK) ? parseJson(content.slice(BLOCKS_MARK.length)) : undefined;
}

export function blockText(block: JsonValue): string {
  if (typeof block === 'string') return block;
  if (!isJsonObject(block)) return '';
  if (typeof block['text'] === 'string') return block['text'];
  return `[${typeof block['type'] === 'string' ? block['type'] : 'attachment'}]`;
}
