import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { SlackError } from './slack-error.ts';

const MAX_TEXT = 4000;
const MAX_BLOCKS = 50;
const MAX_JSON = 12_000;
const MARKS = ['bold', 'italic', 'strike', 'code'];

/** Checks the text and the blocks of a message, more strictly than Slack where Slack would change or cut them. */
export function checkContent(parameters: JsonObject): { text: string; blocks: JsonObject[] } {
  const { text = '', blocks = [] } = parameters;
  if (typeof text !== 'string' || !text.isWellFormed()) throw invalid('text must be a well-formed string');
  if (text.length > MAX_TEXT * 5 || showMarkup(text).length > MAX_TEXT) throw new SlackError('msg_too_long');
  if (!Array.isArray(blocks)) throw new SlackError('invalid_blocks_format');
  if (blocks.length > MAX_BLOCKS) throw invalid(`${blocks.length} blocks`);
  if (Buffer.byteLength(JSON.stringify(blocks)) > MAX_JSON) throw new SlackError('msg_blocks_too_long');
  const ids = new Set<string>();
  const checked = blocks.map((block) => checkBlock(block, ids));
  if (text.trim() === '' && blocks.length === 0) throw new SlackError('no_text');
  return { text, blocks: checked };
}

const invalid = (reason: string) =>
  new SlackError('invalid_blocks', { response_metadata: { messages: [`[ERROR] ${reason}`] } });

function checkBlock(block: JsonValue, ids: Set<string>): JsonObject {
  if (!isJsonObject(block)) throw invalid('a block must be an object');
  const elements = block['elements'];
  const list = Array.isArray(elements) ? elements : [];
  if (block['type'] === 'rich_text') {
    if (list.length === 0) throw invalid('rich_text needs elements');
    list.forEach(checkRichElement);
  } else if (block['type'] === 'actions') {
    if (list.length === 0 || list.length > 25) throw invalid('actions needs 1 to 25 elements');
    for (const element of list) checkButton(element, ids);
  } else if (block['type'] === 'context') {
    for (const element of list) checkPlainText(element, 2000);
  } else if (block['type'] === 'section') checkSection(block['text']);
  else throw invalid(`unsupported type ${JSON.stringify(block['type'])}`);
  return block;
}

function checkSection(text: JsonValue | undefined): void {
  const content = isJsonObject(text) ? text['text'] : undefined;
  if (typeof content !== 'string' || content === '' || content.length > 3000) {
    throw invalid('must be less than 3001 characters');
  }
}

const RICH = ['rich_text_section', 'rich_text_preformatted', 'rich_text_quote'];

function checkRichElement(element: JsonValue): void {
  const [type, inner] = isJsonObject(element) ? [element['type'], element['elements']] : [];
  if (typeof type !== 'string' || !RICH.includes(type)) throw invalid(`unsupported element ${JSON.stringify(type)}`);
  if (!Array.isArray(inner) || inner.length === 0) throw invalid(`${type} needs elements`);
  for (const part of inner) checkInline(part, type);
}

function checkInline(part: JsonValue, inside: string): void {
  if (!isJsonObject(part)) throw invalid('an element must be an object');
  const { type, text, url, style } = part;
  if (type === 'user' || type === 'usergroup' || type === 'broadcast' || type === 'channel') return;
  if (type !== 'text' && type !== 'link') throw invalid(`unsupported element ${JSON.stringify(type)}`);
  if (typeof text !== 'string' || text === '' || !text.isWellFormed())
    throw invalid('text must be more than 0 characters');
  if (/[\p{Cc}--[\n\t]]/v.test(text)) throw invalid('text contains control characters');
  if (type === 'link' && !isUrl(url)) throw invalid(`invalid url ${JSON.stringify(url)}`);
  if (style === undefined) return;
  const isKnown =
    isJsonObject(style) && Object.entries(style).every(([mark, on]) => MARKS.includes(mark) && on === true);
  if (!isKnown) throw invalid(`invalid style ${JSON.stringify(style)}`);
  if (inside === 'rich_text_preformatted') throw invalid('preformatted text has no style');
}

function isUrl(url: JsonValue | undefined): boolean {
  const parsed = typeof url === 'string' && url.length <= 3000 && !/\s/.test(url) ? URL.parse(url) : null;
  return (
    parsed !== null && (parsed.protocol === 'mailto:' || (/^https?:$/.test(parsed.protocol) && parsed.host !== ''))
  );
}

function checkButton(element: JsonValue, ids: Set<string>): void {
  if (!isJsonObject(element) || element['type'] !== 'button') throw invalid('only buttons are supported');
  const { action_id: id, value, style } = element;
  checkPlainText(element['text'] ?? null, 75);
  if (typeof id !== 'string' || id === '' || id.length > 255 || ids.has(id)) throw invalid('action_id must be unique');
  if (typeof value !== 'string' || value.length > 2000) throw invalid('value must be less than 2001 characters');
  if (style !== undefined && style !== 'primary' && style !== 'danger') throw invalid('invalid style');
  ids.add(id);
}

function checkPlainText(element: JsonValue, maximum: number): void {
  const [type, text] = isJsonObject(element) ? [element['type'], element['text']] : [];
  if (type !== 'plain_text' || typeof text !== 'string' || text === '' || text.length > maximum) {
    throw invalid(`plain_text must have 1 to ${maximum} characters`);
  }
}

/** What a reader sees of a message: the blocks if there are any. Each part of a block has lines of its own. */
export function showText(text: string, blocks: readonly JsonObject[]): string {
  const shown = blocks.filter(({ type }) => type !== 'actions').flatMap(showBlock);
  return shown.length === 0 ? showMarkup(text) : shown.join('\n');
}

function showBlock(block: JsonObject): string[] {
  const elements = (block['elements'] ?? []) as JsonObject[];
  if (block['type'] === 'section') return [showMarkup((block['text'] as JsonObject)['text'] as string)];
  if (block['type'] === 'context') return elements.map(({ text }) => text as string);
  return elements.map((element) => ((element['elements'] ?? []) as JsonObject[]).map(showInline).join(''));
}

function showInline({ type, text, user_id: user, range }: JsonObject): string {
  const mentioned = type === 'user' ? user : type === 'broadcast' ? range : undefined;
  return mentioned === undefined ? (text as string) : `@${mentioned as string}`;
}

function showMarkup(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Whom a message notifies. */
export function findMentions(text: string, blocks: readonly JsonObject[]): string[] {
  const parts = blocks.flatMap((block) => (block['elements'] ?? []) as JsonObject[]);
  const inline = parts.flatMap((part) => (part['elements'] ?? []) as JsonObject[]);
  const inBlocks = inline.filter(({ type }) => type === 'user' || type === 'usergroup' || type === 'broadcast');
  return [...(text.match(/<[@!][^>]*>/g) ?? []), ...inBlocks.map((element) => JSON.stringify(element))];
}
