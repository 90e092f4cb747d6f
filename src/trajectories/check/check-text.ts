import type { JsonObject, JsonValue } from '../../base/index.ts';
import { endOfString, nextMark } from '../spaced-json.ts';

const HALF_CHARACTER = /\\u[dD][89a-fA-F]/;

/** What is wrong with a line and cannot be seen in its value any more, or is easier seen in its text. */
export function checkText(text: string, entry: JsonObject): string[] {
  const repeated = findRepeatedField(text);
  return [
    ...(text.endsWith('\r') ? ['the line ends with a carriage return'] : []),
    ...(repeated === undefined ? [] : [`the field ${JSON.stringify(repeated)} comes twice in one object`]),
    // Reading every string of every line takes long, and hardly any line has such a mark.
    ...(HALF_CHARACTER.test(text) ? findHalfCharacters(entry) : []),
  ];
}

/** Which of the two counts is up to the reader; some give up. It goes from mark to mark, like what writes the lines. */
function findRepeatedField(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const mark = json[at];
    if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(undefined);
    else if (mark === '}' || mark === ']') open.pop();
    if (mark !== '"') continue;
    const end = endOfString(json, at);
    const fields = open.at(-1);
    if (fields !== undefined && nextMark(json, end) === ':') {
      const name = JSON.parse(json.slice(at, end)) as string;
      if (fields.has(name)) return name;
      fields.add(name);
    }
    at = end - 1;
  }
  return undefined;
}

/** Turns are looked at one by one. */
function findHalfCharacters(entry: JsonObject): string[] {
  return Object.entries(entry).flatMap(([field, value]) =>
    field === 'conversations' || isWellFormed(value) ? [] : [`${field} has half a character in it`],
  );
}

function isWellFormed(value: JsonValue): boolean {
  const left: JsonValue[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string' && !next.isWellFormed()) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, inner] of Object.entries(next)) left.push(name, inner);
  }
  return true;
}
