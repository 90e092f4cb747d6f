import type { TextLine } from '../text/text-lines.ts';
import { keepIndent, learnIndentation, type Reindent } from './indentation.ts';
import { withPlainCharacters } from './plain-text.ts';

/** A way to compare lines that forgives something. */
export type LineStrategy = {
  /** What it forgives, for the model to read. */
  forgives: string;
  /** Beyond doubt; only then may it be used for many places at once. */
  sure: boolean;
  /** What has to be equal. */
  key(line: string): string;
  /** Lines may stand further in or out, together. */
  shifts: boolean;
};

/** From the strictest to the most forgiving. */
export const LINE_STRATEGIES: readonly LineStrategy[] = [
  { forgives: '', sure: true, shifts: false, key: (line) => line },
  { forgives: 'blanks at line ends', sure: true, shifts: false, key: (line) => line.trimEnd() },
  {
    forgives: 'typographic characters',
    sure: true,
    shifts: false,
    key: (line) => withPlainCharacters(line).trimEnd(),
  },
  { forgives: 'indentation', sure: true, shifts: true, key: (line) => withPlainCharacters(line).trim() },
  {
    forgives: 'blanks inside lines',
    sure: false,
    shifts: true,
    key: (line) => withPlainCharacters(line).trim().replace(/\s+/g, ' '),
  },
];

/** A run of lines that was found, and how new lines have to be indented there. */
export type LineMatch = { at: number; reindent: Reindent };

/** Where a run of lines occurs, from a line on. Runs that overlap an earlier one are left out. */
export function matchLines(
  lines: readonly TextLine[],
  wanted: readonly string[],
  strategy: LineStrategy,
  from = 0,
): LineMatch[] {
  const keys = wanted.map(strategy.key);
  // Nothing but blanks fits anywhere.
  if (wanted.length === 0 || (strategy.forgives !== '' && keys.every((key) => key === ''))) return [];
  const found: LineMatch[] = [];
  for (let at = from; at + keys.length <= lines.length; at++) {
    if (!keys.every((key, offset) => strategy.key(lines[at + offset]?.text ?? '') === key)) continue;
    const real = lines.slice(at, at + keys.length).map(({ text }) => text);
    const reindent = strategy.shifts ? learnIndentation(wanted, real) : keepIndent;
    if (!reindent) continue;
    found.push({ at, reindent });
    at += keys.length - 1;
  }
  return found;
}
