const SPACE = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SIGN = 4;
const BREAK = 5;
const KIND_COUNT = 6;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x20) return SPACE;
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  return code === 0x0a || code === 0x0d || code === 0x09 ? BREAK : SIGN;
});

/**
 * Tokens per character, by the class of the previous character (rows) and its own class (columns). Fitted to a
 * current vocabulary of 200,000 entries on prose, code, JSON and documents in a dozen languages, and kept close to
 * how tokenizers split text: a word starts a token and its remaining letters cost almost nothing, a space belongs to
 * the word after it, digits form groups of three, and a line break belongs to the punctuation before it.
 */
const COSTS = Float64Array.from([
  // after     space lower upper digit sign  break
  /* space */ 0.01, 0.85, 0.74, 1.12, 0.99, 0.34, /* lower */ 0.11, 0.03, 1.31, 1.04, 0.45, 0.9, /* upper */ 0.0, 0.35,
  0.11, 1.07, 0.81, 0.8, /* digit */ 0.03, 1.17, 1.12, 0.26, 0.86, 0.81, /* sign */ 0.18, 0.96, 1.01, 0.93, 0.27, 0.21,
  /* break */ 0.58, 0.97, 0.94, 0.97, 1.04, 0.14,
]);

/**
 * Estimates the number of tokens of a text from the classes of adjacent characters. Other tokenizers mostly differ by
 * a constant factor, which the token meter learns. The loop has almost no branches because it runs over everything
 * that is sent.
 */
export function countText(text: string): number {
  let tokens = 0;
  let before = SIGN * KIND_COUNT;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) {
      const kind = KINDS[code] as number;
      tokens += COSTS[before + kind] as number;
      before = kind * KIND_COUNT;
    } else {
      tokens += costOfWide(code);
      before = SIGN * KIND_COUNT;
    }
  }
  return tokens;
}

/** Cost by Unicode block, per UTF-16 code unit: a surrogate pair counts twice. */
function costOfWide(code: number): number {
  if (code >= 0x3400 && code < 0xa000) return 0.75;
  if (code < 0x250) return 0.76;
  if (code < 0x530) return 0.28;
  if (code < 0x1100) return 0.36;
  if (code >= 0x2500 && code < 0x2580) return 0.54;
  if (code >= 0x3040 && code < 0x3100) return 0.66;
  if (code >= 0xac00 && code < 0xd7b0) return 0.67;
  return code < 0x3400 ? 1 : 0.79;
}
