import { indentOf, type TextLine } from '../text/text-lines.ts';
import { withPlainCharacters } from './plain-text.ts';

/** A strategy for comparing lines that ignores some differences. */
export type LineStrategy = {
  /** The ignored differences, for the result text. */
  ignoredDifference: string;
  /** Whether a match is certain enough for `replace_all`. */
  sure: boolean;
  /** The comparison key of a line. */
  key(line: string): string;
  /** Whether a block may be indented differently as a whole. */
  shifts: boolean;
};

/** From strict to lenient. */
export const LINE_STRATEGIES: readonly LineStrategy[] = [
  { ignoredDifference: '', sure: true, shifts: false, key: (line) => line },
  { ignoredDifference: 'trailing white space', sure: true, shifts: false, key: (line) => line.trimEnd() },
  {
    ignoredDifference: 'typographic characters',
    sure: true,
    shifts: false,
    key: (line) => withPlainCharacters(line).trimEnd(),
  },
  { ignoredDifference: 'indentation', sure: true, shifts: true, key: (line) => withPlainCharacters(line).trim() },
  {
    ignoredDifference: 'white space inside lines',
    sure: false,
    shifts: true,
    key: (line) => withPlainCharacters(line).trim().replace(/\s+/g, ' '),
  },
];

/** The position of a matched block of lines, and how to indent new lines there. */
export type LineMatch = { at: number; reindent: Reindent };

/** Finds non-overlapping occurrences of a block of lines, starting at `from`. */
export function matchLines(
  lines: readonly TextLine[],
  wanted: readonly string[],
  strategy: LineStrategy,
  from = 0,
): LineMatch[] {
  const keys = wanted.map(strategy.key);
  // A blank block would match anywhere.
  if (wanted.length === 0 || (strategy.ignoredDifference !== '' && keys.every((key) => key === ''))) return [];
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

/** Translates the indentation of the model's line to that of the file. */
export type Reindent = (line: string) => string;

export const keepIndent: Reindent = (line) => line;

/**
 * Learns from the model's lines and the matching lines of the file how to translate indentation. Undefined if the
 * mapping is ambiguous.
 */
export function learnIndentation(given: readonly string[], real: readonly string[]): Reindent | undefined {
  const known = new Map<string, string>();
  for (const [index, line] of given.entries()) {
    const own = real[index] ?? '';
    if (line.trim() === '' || own.trim() === '') continue;
    const [from, to] = [indentOf(line), indentOf(own)];
    if ((known.get(from) ?? to) !== to) return undefined;
    known.set(from, to);
  }
  if (changesDepthOrder(known)) return undefined;
  if ([...known].every(([from, to]) => from === to)) return keepIndent;
  const unit = learnUnit(known);
  return (line) => (line.trim() === '' ? line : translateIndent(line, known, unit));
}

/** Whether the mapping changes the order of indentation depths. */
function changesDepthOrder(known: ReadonlyMap<string, string>): boolean {
  const sorted = [...known].sort(([a], [b]) => a.length - b.length);
  return sorted.some(([, to], index) => index > 0 && to.length <= (sorted[index - 1]?.[1].length ?? 0));
}

/** One indentation step in both styles; undefined if only one depth is known. */
type Unit = { from: string; to: string } | undefined;

function learnUnit(known: ReadonlyMap<string, string>): Unit {
  const [first, second] = [...known].sort(([a], [b]) => a.length - b.length);
  if (!first || !second || !second[0].startsWith(first[0]) || !second[1].startsWith(first[1])) return undefined;
  return { from: second[0].slice(first[0].length), to: second[1].slice(first[1].length) };
}

/** Translates via the deepest known prefix of the line's indentation, and the rest in steps. */
function translateIndent(line: string, known: ReadonlyMap<string, string>, unit: Unit): string {
  const indent = indentOf(line);
  const bases = [...known.keys()].filter((base) => indent.startsWith(base)).sort((a, b) => b.length - a.length);
  const [base] = bases;
  const text = line.slice(indent.length);
  if (base !== undefined) return (known.get(base) ?? '') + inSteps(indent.slice(base.length), unit) + text;
  return outdent(indent, known, unit) + text;
}

function inSteps(rest: string, unit: Unit): string {
  if (!unit || unit.from === '') return rest;
  const steps = Math.floor(rest.length / unit.from.length);
  if (rest.slice(0, steps * unit.from.length) !== unit.from.repeat(steps)) return rest;
  return unit.to.repeat(steps) + rest.slice(steps * unit.from.length);
}

/** Indentation of a line that is shallower than all known ones. */
function outdent(indent: string, known: ReadonlyMap<string, string>, unit: Unit): string {
  const [from, to] = [...known].sort(([a], [b]) => a.length - b.length)[0] ?? ['', ''];
  if (!from.startsWith(indent)) return indent;
  const less = inSteps(from.slice(indent.length), unit);
  return to.endsWith(less) ? to.slice(0, to.length - less.length) : indent;
}
