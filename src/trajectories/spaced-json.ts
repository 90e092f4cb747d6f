import type { JsonValue } from '../base/index.ts';
import { cleanSurrogates } from '../util/index.ts';
import { TAG_BEGIN } from './trajectory.ts';

/** Changes the text of a string; `key` is that of the field it is the value of. */
export type StringChange = (text: string, key: string | undefined) => string;

export type SpacedOptions = {
  change?: StringChange;
  /** The JSON will stand between tags: those in its strings are written so that nobody takes them for such. */
  betweenTags?: boolean;
  /** It was just written by `JSON.stringify`, which has one way to write a string. */
  isOurs?: boolean;
};

const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A value as JSON with a blank behind each comma and colon, as the form has it. */
export function toSpacedJson(value: JsonValue, options?: SpacedOptions): string {
  return spaceJson(JSON.stringify(value), options);
}

/** One line of a file, without its end: no character in it ends a line, whatever program reads it. */
export function toJsonLine(value: object): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return spaceJson(JSON.stringify(value), { isOurs: true }).replace(LINE_ENDS, escape);
}

/**
 * Valid JSON with other blanks, and otherwise what it was: numbers keep all their digits, and letters are written as
 * themselves. It goes from mark to mark, so neither length nor depth can be too much for it.
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
      // What is inside of a list or an object is not the value of the field.
      if (token !== ':') key = undefined;
    } else if (nextMark(json, end) === ':') {
      key = JSON.parse(token) as string;
      parts.push(writeString(key, options));
    } else parts.push(rewriteString(token, key, options));
  }
  return parts.join('');
}

function rewriteString(token: string, key: string | undefined, options: SpacedOptions): string {
  // Most strings have nothing in them that could be written otherwise; reading and writing them is what takes long.
  const isWritten = options.isOurs ? !token.includes('\\ud') : !token.includes('\\') && token.isWellFormed();
  const isPlain = isWritten && !(options.betweenTags && token.includes('<'));
  if (isPlain && options.change === undefined) return token;
  const text = JSON.parse(token) as string;
  return writeString(options.change?.(text, key) ?? text, options);
}

/** A text as JSON. */
export function writeString(text: string, { betweenTags }: SpacedOptions): string {
  const written = JSON.stringify(cleanSurrogates(text));
  return betweenTags ? written.replace(TAG_BEGIN, '\\u003c') : written;
}

/** The place behind the closing quote of the string that begins here. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (json[quote - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** What comes next that is no blank. */
export function nextMark(json: string, from: number): string | undefined {
  let at = from;
  while (at < json.length && isBlank(json[at] as string)) at += 1;
  return json[at];
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
