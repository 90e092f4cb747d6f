/** What `echo` and `printf` print, as far as it can be told; undefined for other programs. */
export function printedBy(name: string, args: readonly string[]): string | undefined {
  if (name === 'printf') return printfText(args.filter((arg, index) => index > 0 || arg !== '--'));
  if (name !== 'echo') return undefined;
  const start = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const text = start < 0 ? '' : args.slice(start).join(' ');
  return args.slice(0, Math.max(start, 0)).some((arg) => arg.includes('e')) ? unescape(text) : text;
}

/** Each `%…` takes one argument; the format is used again as long as there are arguments. */
function printfText([format = '', ...values]: readonly string[]): string {
  const left = [...values];
  let text = '';
  do {
    const before = left.length;
    text += unescape(format).replace(/%(?:%|[-+ #0-9.]*[a-zA-Z])/g, (place) => {
      if (place === '%%') return '%';
      const value = left.shift() ?? '';
      return place.endsWith('b') ? unescape(value) : value;
    });
    if (left.length === before) break;
  } while (left.length > 0);
  return text;
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ a: '\u0007', b: '\b', e: '\u001b', E: '\u001b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' },
};

/** Numbers and letters behind a backslash; what means nothing stays as it is. */
function unescape(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{1,2})|[uU]([\da-fA-F]{1,6})|(0?[0-7]{1,3})|(.))/gs,
    (whole, hex: string | undefined, unicode: string | undefined, octal: string | undefined, letter = '') => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      const code = Number.parseInt(hex ?? unicode ?? '', 16);
      if (Number.isNaN(code)) return LETTERS[letter] ?? whole;
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
