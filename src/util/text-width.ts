// Characters that take two columns: Chinese, Japanese and Korean, full-width forms, and emoji.
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
// Characters that take no column: combining marks, joiners, selectors, and other characters that are not visible.
const ZERO_WIDTH = /[\u1734\u302e\u302f]|\p{Mn}|\p{Me}|\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Surrogate}/u;
// Marks that terminals still give a column of their own.
const SPACING_MARK = /[\u065f\u1033-\u1035\u103a\u103d\u103e]/;
// The second and third part of a Korean syllable, which is drawn in the columns of the first.
const SYLLABLE_END = /[\u1160-\u11ff\ud7b0-\ud7fb]/;
const SYLLABLE_START = /[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]/;
// Characters that certainly take one column. The expressions above compile Unicode tables on their first use, which
// would take a third of the startup time.
const NARROW = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u203a\u2190-\u21ff\u2500-\u25ef\u276f\u2800-\u28ff]*$/;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const SKIN_TONE_BASE = /\p{Emoji_Modifier_Base}/u;
const EMOJI = /\p{Emoji}/u;
const JOINER = 0x200d;
const EMOJI_SELECTOR = 0xfe0f;
const KEYCAP = 0x20e3;

/** What the characters so far mean for the width of the next one. */
type WidthState = {
  /** The columns of the character that the next one may combine with. */
  columns: number;
  /** The last visible character is an emoji, or could become one. */
  isPictograph: boolean;
  /** The first half of a flag came last. */
  isHalfFlag: boolean;
  isJoined: boolean;
  takesSkinTone: boolean;
  /** The last character is a digit, `#` or `*`, which a keycap encloses after the emoji selector. */
  isKey: boolean;
  isSelected: boolean;
  /** The last character begins or continues a Korean syllable. */
  isSyllable: boolean;
};

/**
 * The width of a text in terminal columns, without control characters and escape sequences. It is the only measure in
 * Hermes: an emoji of several characters (a family, a flag, a skin tone) takes two columns, as in current terminals.
 */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  const state = startState();
  let width = 0;
  for (const character of text) width += widthAfter(state, character);
  return width;
}

/** Truncates a text to one line of this many columns, with an ellipsis. */
export function fitWidth(text: string, columns: number): string {
  return cutWidth(text.replace(/\s+/g, ' ').trim(), columns);
}

/** Truncates a line to this many columns, with an ellipsis, and keeps its spaces. */
export function cutWidth(line: string, columns: number): string {
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
  const state = startState();
  let [width, end, at] = [0, 0, 0];
  for (const character of text) {
    const own = widthAfter(state, character);
    width += own;
    at += character.length;
    if (width > columns) break;
    // An emoji that does not fit is omitted as a whole.
    end = at;
  }
  return text.slice(0, end);
}

function startState(): WidthState {
  return {
    columns: 0,
    isPictograph: false,
    takesSkinTone: false,
    isHalfFlag: false,
    isJoined: false,
    isKey: false,
    isSelected: false,
    isSyllable: false,
  };
}

/** The columns that a character adds to the text before it. */
function widthAfter(state: WidthState, character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x7f) return startCharacter(state, 1, { isKey: /[\d#*]/.test(character) });
  if (code === EMOJI_SELECTOR && !state.isKey) return widen(state, state.isPictograph);
  if (code === EMOJI_SELECTOR) {
    state.isSelected = true;
    return 0;
  }
  if (code === KEYCAP) return widen(state, state.isSelected);
  if (code === JOINER) {
    state.isJoined = state.isPictograph;
    return 0;
  }
  if (isSkinTone(code) && state.takesSkinTone) return widen(state, true);
  if (isFlagHalf(code)) {
    if (state.isHalfFlag) return endFlag(state);
    return startCharacter(state, 2, { isHalfFlag: true });
  }
  const isPictograph = PICTOGRAPH.test(character);
  if (isPictograph && state.isJoined) {
    state.isJoined = false;
    state.takesSkinTone = SKIN_TONE_BASE.test(character);
    return 0;
  }
  if (state.isSyllable && SYLLABLE_END.test(character)) return 0;
  const columns = characterWidth(character);
  if (columns === 0) return 0;
  return startCharacter(state, columns, {
    isPictograph: isPictograph && EMOJI.test(character),
    takesSkinTone: SKIN_TONE_BASE.test(character),
    isSyllable: SYLLABLE_START.test(character),
  });
}

function startCharacter(state: WidthState, columns: number, kind: Partial<WidthState>): number {
  Object.assign(state, startState(), { columns }, kind);
  return columns;
}

/** A selector, a keycap or a skin tone turns a narrow character into an emoji, which takes two columns. */
function widen(state: WidthState, isEmoji: boolean): number {
  if (!isEmoji || state.columns !== 1) return 0;
  state.columns = 2;
  return 1;
}

function endFlag(state: WidthState): number {
  state.isHalfFlag = false;
  return 0;
}

function isSkinTone(code: number): boolean {
  return code >= 0x1f3fb && code <= 0x1f3ff;
}

function isFlagHalf(code: number): boolean {
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

function characterWidth(character: string): number {
  if (SPACING_MARK.test(character)) return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
