import { ToolFailure } from '../../tools/index.ts';
import { type BothWays, same, WORD } from './pattern-parts.ts';

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

const ESCAPES: Readonly<Record<string, string>> = { w: WORD, d: '\\p{Nd}', s: '\\p{White_Space}' };

/** A set of characters in brackets. Inside, a bracket and signs that one engine calculates with are only characters. */
export function readClass(rest: string): BothWays {
  const start = rest[1] === '^' ? 2 : 1;
  const parts: BothWays[] = [];
  let at = start;
  while (at < rest.length && (rest[at] !== ']' || at === start)) {
    const part = readMember(rest.slice(at), parts.at(-1));
    parts.push(part);
    at += part.length;
  }
  if (at >= rest.length)
    throw new ToolFailure('The pattern is not a valid regular expression: a [ is not closed. Write \\[ for a bracket.');
  const open = rest.slice(0, start);
  const inside = (way: 'rust' | 'javascript') => parts.map((part) => part[way]).join('');
  return { rust: `${open}${inside('rust')}]`, javascript: `${open}${inside('javascript')}]`, length: at + 1 };
}

function readMember(rest: string, before: BothWays | undefined): BothWays {
  const posix = /^\[:(\w+):\]/.exec(rest);
  const known = POSIX[posix?.[1] ?? ''];
  if (posix && known !== undefined) return { rust: posix[0], javascript: known, length: posix[0].length };
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  if (character === '\\') return readEscape(rest);
  if (character === '[' || character === ']') return same(`\\${character}`, 1);
  if (character === '&' || character === '~') return { rust: `\\${character}`, javascript: character, length: 1 };
  // Behind a set or another range it cannot be a range.
  const isRange = before !== undefined && /^(?:\\[^wds\p{L}]|[^\\-])$/u.test(before.rust) && rest[1] !== ']';
  if (character === '-' && !isRange) return same('\\-', 1);
  return same(character, character.length);
}

function readEscape(rest: string): BothWays {
  const next = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  const known = ESCAPES[next];
  if (known !== undefined) return { rust: `\\${next}`, javascript: known, length: 2 };
  if (/[A-Za-z0-9]/.test(next)) return same(`\\${next}`, 2);
  if (next === '&' || next === '~') return { rust: `\\${next}`, javascript: next, length: 2 };
  return same('^]\\-['.includes(next) ? `\\${next}` : next, 1 + next.length);
}
