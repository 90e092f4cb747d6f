/** The minimum length of an encoded form, so that it does not occur in other text by chance. */
const MIN_LENGTH = 8;
const BASE64_ALPHABETS = ['base64', 'base64url'] as const;

/** What programs write between the bytes of a hexadecimal text: `xxd`, `od`, `openssl` and source code. */
const HEX_SEPARATORS = [' ', ':', ', 0x', ' 0x', ',0x'] as const;

/**
 * All forms in which a known secret is recognised: as it is, escaped in JSON, URL-encoded, in hexadecimal, reversed,
 * and in base64. The base64 form of a text depends on its position modulo three, so there are three of them.
 */
export function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(secret.toWellFormed());
  const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = hex.replace(/../g, '%$&');
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    [...secret].reverse().join(''),
    ...[percent, strict, new URLSearchParams([[secret, '']]).toString().slice(0, -1), all].flatMap((form) => [
      form,
      lowerEscapes(form),
      upperEscapes(form),
    ]),
    hex,
    hex.toUpperCase(),
    hex.replace(/../g, '\\x$&'),
    ...HEX_SEPARATORS.flatMap((between) => [separated(hex, between), separated(hex.toUpperCase(), between)]),
    unicodeEscapes(secret),
    unicodeEscapes(secret).toUpperCase().replaceAll('\\U', '\\u'),
    ...BASE64_ALPHABETS.flatMap((alphabet) => [0, 1, 2].map((offset) => alignedBase64(bytes, offset, alphabet))),
  ];
  return [...new Set(forms)].filter(({ length }) => length >= MIN_LENGTH);
}

/** The characters of a base64 text that depend on nothing but these bytes, if `offset` other bytes precede them. */
function alignedBase64(bytes: Buffer, offset: number, alphabet: (typeof BASE64_ALPHABETS)[number]): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(alphabet)
    .replace(/=+$/, '');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(first, last);
}

function separated(hex: string, between: string): string {
  return hex.replace(/..(?!$)/g, `$&${between}`);
}

/** `\u0041` for each UTF-16 code unit, as in JSON and JavaScript. */
function unicodeEscapes(text: string): string {
  return [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function upperEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/g, (escape) => escape.toUpperCase());
}
