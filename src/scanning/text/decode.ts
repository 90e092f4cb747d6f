/** Decoded text with the offset of its encoded form. */
export type Decoded = { offset: number; text: string };

/** `sign` is a substring that the text must contain for the pattern to match. */
const FORMS: readonly { sign: string; pattern: RegExp; decode(run: string): string }[] = [
  {
    sign: '',
    pattern: /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}/g,
    decode: (run) => Buffer.from(run, 'base64').toString('utf8'),
  },
  {
    sign: '',
    pattern: /(?<![0-9a-zA-Z])(?:[0-9a-fA-F]{2}[ :]?){14,}/g,
    decode: (run) => Buffer.from(run.replace(/[ :]/g, ''), 'hex').toString('utf8'),
  },
  {
    sign: '\\x',
    pattern: /(?:\\x[0-9a-fA-F]{2}){6,}/g,
    decode: (run) => Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8'),
  },
  {
    sign: '\\u',
    pattern: /(?:[\w ]{0,6}\\u\{?[0-9a-fA-F]{4,5}\}?){6,}/g,
    decode: (run) =>
      run.replace(/\\u\{?([0-9a-fA-F]{4,5})\}?/g, (_, code: string) => fromCode(Number.parseInt(code, 16))),
  },
  {
    sign: '&#',
    pattern: /(?:[\w ]{0,6}&#x?[0-9a-fA-F]{2,6};){6,}/g,
    decode: (run) =>
      run.replace(/&#(x?)([0-9a-fA-F]{2,6});/g, (_, hex: string, code: string) =>
        fromCode(Number.parseInt(code, hex ? 16 : 10)),
      ),
  },
  {
    sign: '%',
    pattern: /(?<![\w.~+-])[\w.~+-]{0,40}%[0-9a-fA-F]{2}(?:[\w.~+-]{0,12}%[0-9a-fA-F]{2}){2,}[\w.~+-]{0,20}/g,
    decode: percent,
  },
  {
    sign: '010',
    pattern: /(?:[01]{8} ?){12,}/g,
    decode: (run) => (run.match(/[01]{8}/g) ?? []).map((byte) => fromCode(Number.parseInt(byte, 2))).join(''),
  },
];

/** Decodes encoded runs and returns those that look like words. */
export function decodeRuns(text: string): Decoded[] {
  const found: Decoded[] = [];
  for (const { sign, pattern, decode } of FORMS) {
    if (!text.includes(sign)) continue;
    for (const match of text.matchAll(pattern)) {
      const decoded = decode(match[0]);
      if (looksLikeWords(decoded)) found.push({ offset: match.index, text: decoded });
    }
  }
  return found;
}

function looksLikeWords(text: string): boolean {
  if (text.includes('\ufffd')) return false;
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0;
  return letters > text.length * 0.7 && letters > 10;
}

function fromCode(code: number): string {
  return code > 0x10ffff ? '' : String.fromCodePoint(code);
}

function percent(run: string): string {
  return run
    .replaceAll('+', ' ')
    .replace(/%([0-9a-fA-F]{2})/g, (_, code: string) => fromCode(Number.parseInt(code, 16)));
}
