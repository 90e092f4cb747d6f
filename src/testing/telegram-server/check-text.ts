import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { BadRequest } from './bad-request.ts';

const ENTITY_TYPES = new Set([
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
  'pre',
  'text_link',
]);
const MAX_ENTITIES = 100;
const CODE: readonly unknown[] = ['code', 'pre'];
const QUOTES: readonly unknown[] = ['blockquote', 'expandable_blockquote'];
const NOT_VISIBLE =
  /(?:[\s\p{Cc}\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2800\u3000\ufeff\ufffc\u{e0000}-\u{e007f}]|\u0333|\u033f|\u030a)/gu;

/** Checks a text as Telegram does, and more strictly where Telegram would silently change its formatting. */
export function checkText(parameters: JsonObject, name: 'text' | 'caption', maximum: number): string {
  const text = parameters[name] ?? '';
  if (typeof text !== 'string') throw new BadRequest(`field "${name}" must be of type String`);
  if (!text.isWellFormed()) throw new BadRequest('strings must be encoded in UTF-8');
  if (text.length > maximum)
    throw new BadRequest(name === 'text' ? 'message is too long' : 'message caption is too long');
  if (parameters['parse_mode'] !== undefined) throw new BadRequest("can't parse entities: use entities");
  const entities = parameters[name === 'text' ? 'entities' : 'caption_entities'];
  if (entities !== undefined) checkEntities(text, entities);
  return text;
}

/** A text without a visible character counts as empty. */
export function requireVisible(text: string): void {
  if (text === '') throw new BadRequest('message text is empty');
  if (text.replaceAll(NOT_VISIBLE, '') === '') throw new BadRequest('text must be non-empty');
}

type Entity = { type: string; offset: number; end: number };

function checkEntities(text: string, list: JsonValue): void {
  if (!Array.isArray(list)) throw new BadRequest("can't parse entities: expected an Array of MessageEntity");
  if (list.length > MAX_ENTITIES) throw new BadRequest(`can't parse entities: ${list.length} are too many`);
  const entities = list.map((entity, index) => checkEntity(text, entity, index));
  for (const [index, entity] of entities.entries())
    for (const other of entities.slice(index + 1)) checkNesting(entity, other);
}

function checkEntity(text: string, entity: JsonValue, index: number): Entity {
  const wrong = (reason: string) => new BadRequest(`can't parse MessageEntity ${index}: ${reason}`);
  if (!isJsonObject(entity)) throw wrong('expected an object');
  const { type, offset, length, url, language } = entity;
  if (typeof type !== 'string' || !ENTITY_TYPES.has(type)) throw wrong(`unsupported type ${JSON.stringify(type)}`);
  if (typeof offset !== 'number' || typeof length !== 'number' || !isWhole(offset) || !isWhole(length) || length === 0)
    throw wrong('ENTITY_BOUNDS_INVALID');
  const end = offset + length;
  if (end > text.length || splitsPair(text, offset) || splitsPair(text, end)) throw wrong('ENTITY_BOUNDS_INVALID');
  if (type === 'text_link' && !isUrl(url)) throw wrong(`URL ${JSON.stringify(url)} is invalid: Wrong HTTP URL`);
  if (language !== undefined && (type !== 'pre' || typeof language !== 'string')) throw wrong('unexpected language');
  return { type, offset, end };
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && text.charCodeAt(at - 1) >> 10 === 0x36 && text.charCodeAt(at) >> 10 === 0x37;
}

function isUrl(url: JsonValue | undefined): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.hostname.includes('.');
}

function checkNesting(first: Entity, second: Entity): void {
  const overlap = Math.min(first.end, second.end) - Math.max(first.offset, second.offset);
  if (overlap <= 0) return;
  const isNested = overlap === Math.min(first.end - first.offset, second.end - second.offset);
  const types = [first.type, second.type];
  const isAllowed =
    isNested &&
    first.type !== second.type &&
    types.filter((type) => QUOTES.includes(type)).length < 2 &&
    (!types.some((type) => CODE.includes(type)) || types.some((type) => QUOTES.includes(type)));
  if (!isAllowed) throw new BadRequest(`can't parse entities: ${types.join(' and ')} must not overlap like this`);
}

/** Checks the keyboard of a message and returns it. */
export function checkKeyboard(markup: JsonValue | undefined): JsonObject[][] {
  if (markup === undefined) return [];
  const rows = isJsonObject(markup) ? markup['inline_keyboard'] : undefined;
  if (!Array.isArray(rows)) throw new BadRequest("can't parse reply keyboard markup JSON object");
  return rows.map((row) => {
    if (!Array.isArray(row)) throw new BadRequest("can't parse inline keyboard: expected an Array of Array");
    return row.map(checkButton);
  });
}

function checkButton(button: JsonValue): JsonObject {
  if (!isJsonObject(button)) throw new BadRequest("can't parse inline keyboard button");
  const { text, callback_data: data, style } = button;
  if (typeof text !== 'string' || text.trim() === '') throw new BadRequest('text buttons are unallowed: empty text');
  if (typeof data !== 'string') throw new BadRequest('text buttons are unallowed in the inline keyboard');
  const bytes = Buffer.byteLength(data);
  if (bytes < 1 || bytes > 64) throw new BadRequest('BUTTON_DATA_INVALID');
  if (style !== undefined && !['primary', 'danger', 'success'].includes(style as string)) {
    throw new BadRequest('BUTTON_STYLE_INVALID');
  }
  return button;
}
