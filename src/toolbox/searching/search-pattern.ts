import { errorMessage } from '../../base/index.ts';
import { ToolFailure } from '../../tools/index.ts';

/** A regular expression for both engines. Constructs with different meanings are rewritten. */
export type SearchPattern = {
  /** For ripgrep. */
  rust: string;
  /** For our own engine; an error message if the pattern is invalid there. */
  javascript: RegExp | string;
  /** Needs our own engine, because it has look-arounds or back-references. */
  ownOnly: boolean;
};

/** A part of a pattern in both syntaxes, and the length of its source text. */
type BothSyntaxes = { rust: string; javascript: string; length: number };

function same(text: string, length: number): BothSyntaxes {
  return { rust: text, javascript: text, length };
}

/** The word characters of ripgrep, for use in a character class. */
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

const QUANTIFIER = /^\{(\d*)(,?)(\d*)\}/;
const LOOK_AROUND = /^\(\?<?[=!]/;
const META = '^$\\.*+?()[]{}|';

/** Parses a model's regular expression, which may be written for any common engine. */
export function readPattern(pattern: string): SearchPattern {
  const [prefix = '', flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const parts: BothSyntaxes[] = [];
  let ownOnly = false;
  for (let at = prefix.length; at < pattern.length; ) {
    const rest = pattern.slice(at);
    if (LOOK_AROUND.test(rest) || /^\\(?:[1-9]|k<)/.test(rest)) ownOnly = true;
    const part = readPart(rest, pattern[at - 1]);
    parts.push(part);
    at += part.length;
  }
  const rust = prefix + parts.map((part) => part.rust).join('');
  const source = parts.map((part) => part.javascript).join('');
  return { rust, javascript: compile(source, flags.includes('i') ? 'ui' : 'u'), ownOnly };
}

/** Whether a pattern is a glob such as `*.ts` and cannot be a regular expression. */
export function isOnlyGlob(pattern: string): boolean {
  if (!/^(?:\*|.*\*\*)/.test(pattern) || /[\s()|\\^$]/.test(pattern)) return false;
  try {
    return typeof readPattern(pattern).javascript === 'string';
  } catch {
    return true;
  }
}

function compile(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (thrown) {
    const reason = errorMessage(thrown).replace(/^Invalid regular expression: /, '');
    return `The pattern is not a valid regular expression: ${reason}. ${adviseEscaping(source, reason)}`;
  }
}

/** Names the character that must be escaped, if the error says which one it is. */
function adviseEscaping(source: string, reason: string): string {
  if (/Unterminated group|Invalid group/.test(reason)) return literally('(');
  if (reason.includes("Unmatched ')'")) return literally(')');
  const [, quantifier] = /(?:^|[(|^*+?])([*+?])/.exec(source.replace(/\\./g, '_')) ?? [];
  if (reason.includes('Nothing to repeat') && quantifier !== undefined) return literally(quantifier);
  return 'Escape literal characters with a backslash.';
}

/** The hint how to search for a character that has a special meaning in patterns. */
export function literally(character: string): string {
  return `To match a literal \`${character}\`, write \`\\${character}\`.`;
}

/** Reads the first part of `rest` in both syntaxes. */
function readPart(rest: string, before: string | undefined): BothSyntaxes {
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  if (character === '\\') return readEscape(rest);
  if (character === '[') return readClass(rest);
  if (character === '{') return readBrace(rest, before);
  // An unpaired closing bracket is literal, which not every engine accepts unescaped.
  if (character === ']' || character === '}') return same(`\\${character}`, 1);
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
  if (named) return { rust: `(?P<${named[1]}>`, javascript: `(?<${named[1]}>`, length: named[0].length };
  return same(character, character.length);
}

/** `{2,3}` is a quantifier; every other brace is literal, as in code. */
function readBrace(rest: string, before: string | undefined): BothSyntaxes {
  const [whole = '', least = '', comma = '', most = ''] = QUANTIFIER.exec(rest) ?? [];
  const repeats = whole !== '' && (least !== '' || most !== '') && before !== undefined && !'(|^'.includes(before);
  return repeats ? same(`{${least || 0}${comma}${most}}`, whole.length) : same('\\{', 1);
}

const ESCAPES: Readonly<Record<string, BothSyntaxes>> = {
  w: { rust: '\\w', javascript: `[${WORD}]`, length: 2 },
  W: { rust: '\\W', javascript: `[^${WORD}]`, length: 2 },
  d: { rust: '\\d', javascript: '\\p{Nd}', length: 2 },
  D: { rust: '\\D', javascript: '\\P{Nd}', length: 2 },
  s: { rust: '\\s', javascript: '\\p{White_Space}', length: 2 },
  S: { rust: '\\S', javascript: '\\P{White_Space}', length: 2 },
  b: { rust: '\\b', javascript: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`, length: 2 },
  B: { rust: '\\B', javascript: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`, length: 2 },
  '<': { rust: '\\b{start}', javascript: `(?<![${WORD}])(?=[${WORD}])`, length: 2 },
  '>': { rust: '\\b{end}', javascript: `(?<=[${WORD}])(?![${WORD}])`, length: 2 },
  A: same('^', 2),
  z: same('$', 2),
  Z: same('$', 2),
};

function readEscape(rest: string): BothSyntaxes {
  const next = rest[1];
  if (next === undefined) throw new ToolFailure(`The pattern ends with a backslash. ${literally('\\')}`);
  if (next === 'n' || next === 'r')
    throw new ToolFailure(
      `The pattern contains \\${next}, but files are searched line by line. Search for one of the lines.`,
    );
  const known = ESCAPES[next];
  if (known) return known;
  const hex = /^\\x\{([\dA-Fa-f]+)\}/.exec(rest);
  if (hex) return { rust: hex[0], javascript: `\\u{${hex[1]}}`, length: hex[0].length };
  const property = /^\\([pP])([A-Z])/.exec(rest);
  if (property) return same(`\\${property[1]}{${property[2]}}`, 3);
  if (/[A-Za-z0-9]/.test(next)) return same(`\\${next}`, 2);
  // Engines reject escapes of characters that are not special.
  const character = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  return same(META.includes(character) ? `\\${character}` : character, 1 + character.length);
}

const POSIX: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

const CLASS_ESCAPES: Readonly<Record<string, string>> = { w: WORD, d: '\\p{Nd}', s: '\\p{White_Space}' };

/** A character class. Nested brackets and the set operators of one engine are escaped. */
function readClass(rest: string): BothSyntaxes {
  const start = rest[1] === '^' ? 2 : 1;
  const parts: BothSyntaxes[] = [];
  let at = start;
  while (at < rest.length && (rest[at] !== ']' || at === start)) {
    const part = readMember(rest.slice(at), parts.at(-1));
    parts.push(part);
    at += part.length;
  }
  if (at >= rest.length)
    throw new ToolFailure(
      `The pattern is not a valid regular expression: unterminated character class. ${literally('[')}`,
    );
  const open = rest.slice(0, start);
  const inside = (way: 'rust' | 'javascript') => parts.map((part) => part[way]).join('');
  return { rust: `${open}${inside('rust')}]`, javascript: `${open}${inside('javascript')}]`, length: at + 1 };
}

function readMember(rest: string, before: BothSyntaxes | undefined): BothSyntaxes {
  const posix = /^\[:(\w+):\]/.exec(rest);
  const known = POSIX[posix?.[1] ?? ''];
  if (posix && known !== undefined) return { rust: posix[0], javascript: known, length: posix[0].length };
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  if (character === '\\') return readClassEscape(rest);
  if (character === '[' || character === ']') return same(`\\${character}`, 1);
  if (character === '&' || character === '~') return { rust: `\\${character}`, javascript: character, length: 1 };
  // After a class escape or another range, `-` is literal.
  const isRange = before !== undefined && /^(?:\\[^wds\p{L}]|[^\\-])$/u.test(before.rust) && rest[1] !== ']';
  if (character === '-' && !isRange) return same('\\-', 1);
  return same(character, character.length);
}

function readClassEscape(rest: string): BothSyntaxes {
  const next = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  const known = CLASS_ESCAPES[next];
  if (known !== undefined) return { rust: `\\${next}`, javascript: known, length: 2 };
  if (/[A-Za-z0-9]/.test(next)) return same(`\\${next}`, 2);
  if (next === '&' || next === '~') return { rust: `\\${next}`, javascript: next, length: 2 };
  return same('^]\\-['.includes(next) ? `\\${next}` : next, 1 + next.length);
}
