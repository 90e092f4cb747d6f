// Characters that take two columns: Chinese, Japanese and Korean, full-width forms, and emoji.
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
// Characters that take no column: combining marks, joiners and selectors.
const ZERO_WIDTH = /\p{Mn}|\p{Me}|[\u200b-\u200f\u2060]/u;
const PLAIN = /^[\u0020-\u007e]*$/;

/** The width of a text in terminal columns. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let [width, last] = [0, 0];
  for (const character of text) {
    const own = widthAfter(last, character);
    width += own;
    if (own > 0) last = own;
  }
  return width;
}

/** Truncates a text to one line of this many columns, with an ellipsis. */
export function fitWidth(text: string, columns: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (textWidth(line) <= columns) return line;
  return columns < 1 ? '' : `${takeWidth(line, columns - 1)}…`;
}

/** Pads a text with spaces to this many columns. */
export function padWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** Wraps a text to this many columns, at spaces where possible. */
export function wrapText(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  return text
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (textWidth(rest) > columns) {
    // At least one character per line, however narrow the terminal is.
    const most = takeWidth(rest, columns) || String.fromCodePoint(rest.codePointAt(0) ?? 0x20);
    const space = rest[most.length] === ' ' ? most.length : most.lastIndexOf(' ');
    const end = space > most.length / 2 ? space : most.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^ /, '');
  }
  return [...lines, rest];
}

function takeWidth(text: string, columns: number): string {
  let [width, end, last] = [0, 0, 0];
  for (const character of text) {
    const own = widthAfter(last, character);
    width += own;
    if (width > columns) break;
    end += character.length;
    if (own > 0) last = own;
  }
  return text.slice(0, end);
}

/** The emoji variation selector makes a narrow character wide, in terminals that support it. */
function widthAfter(last: number, character: string): number {
  return character === '\ufe0f' && last === 1 ? 1 : characterWidth(character);
}

function characterWidth(character: string): number {
  if (PLAIN.test(character)) return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
