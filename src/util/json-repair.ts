import { type JsonValue, parseJson } from '../base/index.ts';

/** The result of reading. `truncated` means that the text is valid so far but ends too early. */
export type JsonReading =
  | { status: 'valid' | 'repaired'; value: JsonValue }
  | { status: 'truncated' }
  | { status: 'unparsable'; reason: string };

/**
 * Reads JSON as models write it. Repairs only mistakes that have a single possible meaning: code fences, trailing
 * commas, single quotes, unquoted keys, Python constants, raw control characters in strings. Nothing is ever added:
 * truncated text is reported as such, because a completed half would be executed as if the model had meant it.
 */
export function readJson(text: string): JsonReading {
  const value = parseJson(text);
  return value === undefined ? readRelaxed(text) : { status: 'valid', value };
}

function readRelaxed(text: string): JsonReading {
  const reader = new RelaxedReader(text);
  try {
    return { status: 'repaired', value: reader.readDocument() };
  } catch (thrown) {
    if (thrown instanceof EndOfText) return { status: 'truncated' };
    if (thrown instanceof NotJson) return { status: 'unparsable', reason: thrown.message };
    throw thrown;
  }
}

/** The text ended where more could follow. */
class EndOfText extends Error {}
/** The text contains something that cannot be JSON. */
class NotJson extends Error {}

/** Maximum nesting depth: more than any tool call needs, and far below the stack limit. */
const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const BLANK = /[\s\uFEFF]*/y;
const CONSTANTS = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);
/** JSON's escapes, and the single quote, which some models escape unnecessarily. */
const ESCAPES = new Map([
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** A parser without backtracking: each character has one meaning or is an error. */
class RelaxedReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): JsonValue {
    const fenced = this.#take(/\s*```[A-Za-z]*[ \t]*\r?\n?/y) !== undefined;
    const value = this.#readValue();
    this.#take(BLANK);
    if (fenced) {
      if (this.#at >= this.#text.length) throw new EndOfText();
      if (this.#take(/```/y) === undefined) this.#fail();
      this.#take(BLANK);
    }
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  #readValue(): JsonValue {
    const next = this.#peek();
    if (next === '{') return this.#nested(() => this.#readObject());
    if (next === '[') return this.#nested(() => this.#readArray());
    if (next === '"' || next === "'") return this.#readString(next);
    return this.#readScalar();
  }

  #nested(read: () => JsonValue): JsonValue {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new NotJson(`nested deeper than ${MAX_DEPTH} levels`);
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #readObject(): JsonValue {
    const entries: [string, JsonValue][] = [];
    while (this.#peek() !== '}') {
      const key = this.#readKey();
      if (this.#peek() !== ':') this.#fail();
      this.#at += 1;
      entries.push([key, this.#readValue()]);
      if (!this.#readComma('}')) break;
    }
    this.#at += 1;
    return Object.fromEntries(entries);
  }

  #readArray(): JsonValue {
    const items: JsonValue[] = [];
    while (this.#peek() !== ']') {
      items.push(this.#readValue());
      if (!this.#readComma(']')) break;
    }
    this.#at += 1;
    return items;
  }

  /** Reads the separator after an entry. Returns true after a comma and false before the closing bracket. */
  #readComma(closing: string): boolean {
    const next = this.#peek();
    if (next === closing) return false;
    if (next !== ',') this.#fail();
    this.#at += 1;
    return true;
  }

  #readKey(): string {
    const next = this.#peek();
    if (next === '"' || next === "'") return this.#readString(next);
    const key = this.#take(WORD);
    return key ?? this.#fail();
  }

  /** Numbers as in JSON, constants as in JSON or Python. */
  #readScalar(): JsonValue {
    const number = this.#take(NUMBER);
    const word = number === undefined ? this.#take(WORD) : undefined;
    // A scalar at the end of the text may be incomplete: 12 could have become 123.
    if (this.#at >= this.#text.length) throw new EndOfText();
    if (number !== undefined) return Number(number);
    const constant = word === undefined ? undefined : CONSTANTS.get(word);
    return constant === undefined ? this.#fail() : constant;
  }

  /** Keeps raw control characters: a newline in a string can only mean a newline. */
  #readString(quote: string): string {
    this.#at += 1;
    let value = '';
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new EndOfText();
      this.#at += 1;
      if (character === quote) return value;
      value += character === '\\' ? this.#readEscape() : character;
    }
  }

  #readEscape(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new EndOfText();
    if (character === 'u') {
      const digits = this.#text.slice(this.#at + 1, this.#at + 5);
      if (digits.length < 4 && /^[0-9a-f]*$/i.test(digits)) throw new EndOfText();
      if (!/^[0-9a-f]{4}$/i.test(digits)) this.#fail();
      this.#at += 5;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    // "\d" could be meant as a backslash or be a typing mistake, so it is not repaired.
    const meaning = ESCAPES.get(character) ?? this.#fail();
    this.#at += 1;
    return meaning;
  }

  /** The next non-whitespace character, without consuming it. */
  #peek(): string {
    this.#take(BLANK);
    const next = this.#text[this.#at];
    if (next === undefined) throw new EndOfText();
    return next;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }

  #fail(): never {
    // The rest of a number that was truncated in the middle: "-", "1.", "2e".
    if (/^[-+.eE]+$/.test(this.#text.slice(this.#at))) throw new EndOfText();
    const near = JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    throw new NotJson(`unexpected ${near} at character ${this.#at + 1}`);
  }
}
