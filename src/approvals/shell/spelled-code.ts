/** How many encoded texts in code are decoded, and how long they may be. */
const MAX_DECODED = 20;
const MAX_LENGTH = 4000;

const QUOTED = `(["'\`])((?:(?!\\1)[^\\n\\\\]){1,2000})\\1`;
const REVERSED = new RegExp(
  `${QUOTED}(?:\\s*\\[\\s*::\\s*-1\\s*\\]|\\.split\\(\\s*["'\`]{2}\\s*\\)\\.reverse\\(\\)\\.join\\(\\s*["'\`]{2}\\s*\\)|\\.reverse\\b(?:\\(\\))?)`,
  'g',
);
const FORMATTED = new RegExp(`${QUOTED}(?=\\s*%|\\.format\\()`, 'g');
const JOINED =
  /(["'`])([^"'`\n]{0,3})\1\.join\(\s*[[(]([^\])\n]{1,1000})[\])]\s*\)|\[([^\]\n]{1,1000})\]\.join\(\s*(["'`])([^"'`\n]{0,3})\5\s*\)/g;
const WORD_LIST =
  /(?:\bqw|\*?%[wW])\s*(?:\(([^()]{0,500})\)|\[([^\][]{0,500})\]|\{([^{}]{0,500})\}|([/|!])([^\n/|!]{0,500})\4)/g;
/** Calls that decode a text. */
const DECODES =
  /\b(?:fromhex|unhexlify|hex2bin|b(?:16|32|64|85)decode|a85decode|standard_b64decode|urlsafe_b64decode|decodebytes|base64_decode|decode_?64|decode64|atob|fromBase64|from_base64|Buffer\.from|unpack1?|pack|str_rot13|rot13|codecs\.decode)\b/;

/** Code with the texts spelled out that it assembles from literals, followed by those that it decodes. */
export function spellTexts(code: string): string {
  const spelled = code
    .replace(WORD_LIST, (_, ...found: (string | undefined)[]) => listOfWords(found))
    .replace(
      JOINED,
      (whole, ...found: (string | undefined)[]) =>
        joined(found[2] ?? found[3] ?? '', found[1] ?? found[5] ?? '') ?? whole,
    )
    .replace(REVERSED, (_, quote: string, text: string) => quote + [...text].reverse().join('') + quote)
    .replace(FORMATTED, (_, quote: string, text: string) => quote + text.replace(/%[sdr]|\{\d*\}/g, '$$_') + quote);
  const decoded = DECODES.test(spelled) ? decodedTexts(spelled) : [];
  return [spelled, ...decoded.map((text) => (/\s/.test(text) ? text : JSON.stringify(text)))].join('\n');
}

/** `system qw(rm -rf x)` in Perl and `system(*%w[rm -rf x])` in Ruby. */
function listOfWords(found: readonly (string | undefined)[]): string {
  const words = (found[0] ?? found[1] ?? found[2] ?? found[4] ?? '').trim();
  return words
    .split(/\s+/)
    .map((word) => JSON.stringify(word))
    .join(', ');
}

/** The list of literals as one literal; undefined if it contains anything else. */
function joined(list: string, separator: string): string | undefined {
  const parts = [...list.matchAll(/\s*(?:"([^"]*)"|'([^']*)')\s*(?:,|$)/g)];
  if (parts.map(([whole]) => whole).join('') !== list) return undefined;
  return JSON.stringify(parts.map((part) => part[1] ?? part[2] ?? '').join(separator));
}

/** The literals that are text in hexadecimal or base64 digits. */
function decodedTexts(code: string): string[] {
  const literals = [...code.matchAll(/["'`]([A-Za-z\d+/_=-]{8,4000})["'`]/g)].map((found) => found[1] ?? '');
  return literals.slice(0, MAX_DECODED).flatMap((text) => {
    const hex = text.length % 2 === 0 && /^[\da-fA-F]+$/.test(text) ? [Buffer.from(text, 'hex').toString('utf8')] : [];
    return [...hex, Buffer.from(text, 'base64').toString('utf8')].filter(isText).map((one) => one.slice(0, MAX_LENGTH));
  });
}

const isText = (text: string) => text.length > 3 && /^[\t\n\r -~]*$/.test(text);
