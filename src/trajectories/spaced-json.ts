import type { JsonValue } from '../base/index.ts';
import { cleanSurrogates } from '../util/index.ts';
import { TAG_BEGIN } from './trajectory.ts';

/** Changes the text of a string; `key` is the field whose value it is. */
export type StringChange = (text: string, key: string | undefined) => string;

export type SpacedOptions = {
  change?: StringChange;
  /** The JSON will be placed between tags, so tags inside its strings are escaped. */
  betweenTags?: boolean;
  /** The JSON was just written by `JSON.stringify`, so its strings have a canonical form. */
  isCanonical?: boolean;
};

const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** JSON with a space after each comma and colon, as the format requires. */
export function toSpacedJson(value: JsonValue, options?: SpacedOptions): string {
  return spaceJson(JSON.stringify(value), options);
}

/**
 * Converts a value to one line of a file, without the line end. Characters that any program treats as a line break
 * are escaped.
 */
export function toJsonLine(value: object): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return spaceJson(JSON.stringify(value), { isCanonical: true }).replace(LINE_ENDS, escape);
}

/**
 * Rewrites the whitespace of valid JSON and nothing else: numbers keep all digits, and escaped letters become plain.
 * Works token by token, so length and depth are not limited.
 */
export function spaceJson(json: string, options: SpacedOptions = {}): string {
  const parts: string[] = [];
  let key: string | undefined;
  for (let at = 0; at < json.length; ) {
    const end = json[at] === '"' ? endOfString(json, at) : at + 1;
    const token = json.slice(at, end);
    at = end;
    if (isBlank(token)) continue;
    if (token[0] !== '"') {
      parts.push(token === ',' || token === ':' ? `${token} ` : token);
      // Forget the field name inside a list or object, because strings there are not the value of the field.
      if (token !== ':') key = undefined;
    } else if (nextNonBlank(json, end) === ':') {
      key = JSON.parse(token) as string;
      parts.push(writeString(key, options));
    } else parts.push(rewriteString(token, key, options));
  }
  return parts.join('');
}

function rewriteString(token: string, key: string | undefined, options: SpacedOptions): string {
  // Fast path: most strings need no rewriting, and parsing them is the slow part.
  const isWritten = options.isCanonical ? !token.includes('\\ud') : !token.includes('\\') && token.isWellFormed();
  const isPlain = isWritten && !(options.betweenTags && token.includes('<'));
  if (isPlain && options.change === undefined) return token;
  const text = JSON.parse(token) as string;
  return writeString(options.change?.(text, key) ?? text, options);
}

/** A string as JSON. */
export function writeString(text: string, { betweenTags }: SpacedOptions): string {
  const written = JSON.stringify(cleanSurrogates(text));
  return betweenTags ? written.replace(TAG_BEGIN, '\\u003c') : written;
}

/** The index after the closing quote of the string that starts here. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (json[quote - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return json.length;
}

export function nextNonBlank(json: string, from: number): string | undefined {
  let at = from;
  while (at < json.length && isBlank(json[at] as string)) at += 1;
  return json[at];
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
