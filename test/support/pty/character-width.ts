import type { IUnicodeVersionProvider } from '@xterm/headless';

// The emulator's own table is that of Unicode in 2010, in which emoji are narrow; current terminals differ.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NONE = /\p{Mn}|\p{Me}|[\u200b-\u200f\u2060]/u;

function columns(codepoint: number): 0 | 1 | 2 {
  if (codepoint < 0x20 || (codepoint >= 0x7f && codepoint < 0xa0)) return 0;
  if (codepoint < 0x300) return 1;
  const character = String.fromCodePoint(codepoint);
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The number of columns of a character in a current terminal. */
export const CURRENT_WIDTHS: IUnicodeVersionProvider = {
  version: 'current',
  wcwidth: columns,
  // The emulator's bit layout: one bit for "combines with the previous character", two for the columns.
  charProperties(codepoint, preceding) {
    const own = columns(codepoint);
    const before = (preceding >> 1) & 3;
    const joins = own === 0 && preceding !== 0 && before > 0;
    return (joins ? before << 1 : own << 1) | (joins ? 1 : 0);
  },
};
