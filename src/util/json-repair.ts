import { type JsonValue, parseJson } from '../base/index.ts';

/** What a text turned out to be. `truncated`: everything so far is fine, it only stops too early. */
export type JsonReading =
  | { status: 'valid' | 'repaired'; value: JsonValue }
  | { status: 'truncated' }
  | { status: 'unparsable'; reason: string };

/**
 * Reads JSON as models write it. Only slips with a single possible meaning are repaired: code fences, trailing commas,
 * single quotes, bare keys, Python's constants, raw control characters in strings. Nothing is ever added: a text that
 * stops early is reported as such, because a completed half would run as if the model had meant it.
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

/** The text ended where it could have gone on. */
class EndOfText extends Error {}
/** The text has something in it that cannot be JSON. */
class NotJson extends Error {}

/** Deeper than any call needs, and far from the end of the stack. */
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
/** JSON's escapes, and the single quote, which needs none and is escaped by some all the same. */
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

/** A reader from left to right that never looks back: each character has one meaning or none. */
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

  /** True after a comma, false in front of the closing bracket. */
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

  /** Numbers as JSON has them, and constants as JSON or Python has them. */
  #readScalar(): JsonValue {
    const number = this.#take(NUMBER);
    const word = number === undefined ? this.#take(WORD) : undefined;
    // A scalar that touches the end may go on: 12 could have become 123.
    if (this.#at >= this.#text.length) throw new EndOfText();
    if (number !== undefined) return Number(number);
    const constant = word === undefined ? undefined : CONSTANTS.get(word);
    return constant === undefined ? this.#fail() : constant;
  }

  /** Raw control characters are kept: a newline in a string can only mean a newline. */
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
    // "\d" can mean a backslash or a slip of the pen, so it is not repaired.
    const meaning = ESCAPES.get(character) ?? this.#fail();
    this.#at += 1;
    return meaning;
  }

  /** The next character that is no blank, not yet taken. */
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
    // What is left of a number that was cut in its middle: "-", "1.", "2e".
    if (/^[-+.eE]+$/.test(this.#text.slice(this.#at))) throw new EndOfText();
    const near = JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    throw new NotJson(`unexpected ${near} at character ${this.#at + 1}`);
  }
}
