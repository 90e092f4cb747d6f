import type { Style } from '../style.ts';
import { type Highlighter, createHighlighter, plainHighlighter } from './highlight/highlighter.ts';

export type Colours = 'none' | 'dark' | 'light' | 'high-contrast';

/** The kind of a piece of text, for which a theme defines the style. */
export type Role = keyof typeof DARK;

type Paint = (text: string) => string;

export type Theme = Style &
  Record<Role, Paint> & {
    colours: Colours;
    /** Whether addresses are drawn as hyperlinks. */
    links: boolean;
    /** The syntax highlighter. Code is plain until `prepare` has loaded it. */
    code: Highlighter;
  };

// Only the 16 colours that every terminal has, because users configure them.
const SHARED = {
  bold: [1],
  dim: [2],
  emphasis: [3],
  struck: [9],
  red: [31],
  green: [32],
  yellow: [33],
  cyan: [36],
  quote: [3],
  border: [2],
  linkAddress: [2, 4],
  lineNumber: [2],
  thought: [2, 3],
  added: [32],
  removed: [31],
  // Inverse video, so that colour-blind users see a changed word too.
  addedWord: [32, 7],
  removedWord: [31, 7],
} as const;

const DARK = {
  ...SHARED,
  heading: [1, 96],
  inlineCode: [93],
  link: [4, 94],
  bullet: [36],
  keyword: [95],
  string: [92],
  comment: [90],
  number: [93],
  title: [94],
  type: [96],
  attribute: [96],
  variable: [91],
  meta: [90],
} as const;

const LIGHT: Record<keyof typeof DARK, readonly number[]> = {
  ...SHARED,
  // Yellow is unreadable on white.
  yellow: [35],
  heading: [1, 34],
  inlineCode: [35],
  link: [4, 34],
  bullet: [34],
  keyword: [35],
  string: [32],
  comment: [90],
  number: [31],
  title: [34],
  type: [36],
  attribute: [36],
  variable: [31],
  meta: [90],
};

/**
 * Readable on black and on white: bold, underline and inverse video instead of colours and faint text. Red and green
 * only support a sign that says the same.
 */
const HIGH_CONTRAST: Record<keyof typeof DARK, readonly number[]> = {
  bold: [1],
  dim: [],
  emphasis: [3],
  struck: [9],
  red: [1, 31],
  green: [1],
  yellow: [1],
  cyan: [1],
  quote: [3],
  border: [],
  linkAddress: [4],
  lineNumber: [],
  thought: [3],
  added: [1],
  removed: [1, 31],
  addedWord: [1, 7],
  removedWord: [1, 31, 7],
  heading: [1, 4],
  inlineCode: [1],
  link: [4],
  bullet: [1],
  keyword: [1],
  string: [],
  comment: [3],
  number: [],
  title: [1],
  type: [],
  attribute: [],
  variable: [],
  meta: [],
};

const CODES: Record<Exclude<Colours, 'none'>, Record<keyof typeof DARK, readonly number[]>> = {
  dark: DARK,
  light: LIGHT,
  'high-contrast': HIGH_CONTRAST,
};

type ThemeOptions = {
  colours: Colours;
  /** The highlighter of another theme, so that it is not loaded twice. */
  code?: Highlighter;
  /** The terminal supports hyperlinks. */
  links?: boolean;
};

/** Creates a theme. With `none`, the output contains no escape sequences. */
export function createTheme({ colours, code = createHighlighter(), links = false }: ThemeOptions): Theme {
  const paint = (role: Role): Paint => (colours === 'none' ? (text) => text : paintWith(CODES[colours][role]));
  const paints = Object.fromEntries(Object.keys(DARK).map((role) => [role, paint(role as Role)]));
  const isPlain = colours === 'none';
  const shared = { colours, links: links && !isPlain, code: isPlain ? plainHighlighter() : code };
  return { ...(paints as Record<Role, Paint>), ...shared };
}

function paintWith(codes: readonly number[]): Paint {
  if (codes.length === 0) return (text) => text;
  const on = `\u001b[${codes.join(';')}m`;
  const off = `\u001b[${[...new Set(codes.map(offCode))].join(';')}m`;
  return (text) => (text === '' ? '' : `${on}${text}${off}`);
}

/** Returns the code that resets one attribute and keeps the others. */
function offCode(code: number): number {
  if (code >= 30) return 39;
  return code <= 2 ? 22 : code + 20;
}
