import { distance } from 'fastest-levenshtein';
import { linesOf, type TextLine } from '../text/text-lines.ts';
import { keepIndent, learnIndentation } from './indentation.ts';
import { diffLines } from './line-diff.ts';
import { LINE_STRATEGIES, type LineStrategy, matchLines } from './match-lines.ts';
import type { Region, Wanted } from './merge-lines.ts';
import { withPlainCharacters, withPlainNewlines } from './plain-text.ts';

/** The places that one way of looking has found. */
export type FoundRegions = {
  regions: Region[];
  /** What had to be forgiven; empty where it was there exactly. */
  forgives: string;
  sure: boolean;
  /** What was looked for, which may be the model's text with its escapes undone. */
  wanted: Wanted;
};

/** How unlike a line that stays may be, and how many of the lines have to be right. */
const MOST_UNLIKE = 0.5;
const LEAST_RIGHT = 0.5;

/** Looks in stricter ways first; the first that finds anything decides. Undefined where none does. */
export function findRegions(text: string, wanted: Wanted): FoundRegions | undefined {
  const lines = linesOf(text);
  return search(text, lines, wanted) ?? searchUnescaped(text, lines, wanted) ?? searchByContext(lines, wanted);
}

function search(text: string, lines: readonly TextLine[], wanted: Wanted): FoundRegions | undefined {
  const exact = findText(text, wanted.oldString, (part) => part);
  if (exact.length > 0) return { regions: exact, forgives: '', sure: true, wanted };
  const [, blanks, ...others] = LINE_STRATEGIES;
  const atLineEnds = blanks && searchLines(lines, wanted, blanks);
  if (atLineEnds) return atLineEnds;
  const alike = findText(text, wanted.oldString, withPlainCharacters);
  if (alike.length > 0) return { regions: alike, forgives: 'typographic characters', sure: true, wanted };
  for (const strategy of others) {
    const found = searchLines(lines, wanted, strategy);
    if (found) return found;
  }
  return undefined;
}

/** Anywhere in the text, across line ends of either kind. */
function findText(text: string, oldString: string, plain: (text: string) => string): Region[] {
  const view = withPlainNewlines(text);
  const where = plain(view.text);
  const what = plain(oldString.replaceAll('\r\n', '\n'));
  if (what.trim() === '' && oldString.trim() !== '') return [];
  const regions: Region[] = [];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) {
    const [start, end] = [view.toOriginal(at), view.toOriginal(at + what.length)];
    regions.push({ start, end, reindent: keepIndent });
  }
  return regions;
}

/** Whole lines only, so that the edges of a match are never in doubt. */
function searchLines(lines: readonly TextLine[], wanted: Wanted, strategy: LineStrategy): FoundRegions | undefined {
  const { given, withEnd } = givenLines(wanted.oldString);
  const matches = matchLines(lines, given, strategy);
  if (matches.length === 0) return undefined;
  const regions = matches.map(({ at, reindent }) => ({ ...regionOf(lines, at, given.length, withEnd), reindent }));
  return { regions, forgives: strategy.forgives, sure: strategy.sure, wanted };
}

/** A newline at the end of the text belongs to its last line. */
function givenLines(text: string): { given: string[]; withEnd: boolean } {
  const given = text.split(/\r?\n/);
  const withEnd = given.length > 1 && given.at(-1) === '';
  return { given: withEnd ? given.slice(0, -1) : given, withEnd };
}

function regionOf(lines: readonly TextLine[], at: number, count: number, withEnd: boolean) {
  const first = lines[at] as TextLine;
  const last = lines[at + count - 1] as TextLine;
  return { start: first.start, end: withEnd ? last.next : last.end };
}

/** Some models escape a whole argument once too often: `\n` and `\"` then stand for what they mean. */
function searchUnescaped(text: string, lines: readonly TextLine[], wanted: Wanted): FoundRegions | undefined {
  const { oldString, newString } = wanted;
  // Where there are real newlines too, nobody can tell which are meant.
  if (!/\\[nt"']/.test(oldString) || /\n/.test(oldString + newString)) return undefined;
  const found = search(text, lines, { oldString: unescape(oldString), newString: unescape(newString) });
  return found && { ...found, forgives: ['escaped characters', found.forgives].filter(Boolean).join(', ') };
}

function unescape(text: string): string {
  const meant: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
  return text.replace(/\\([ntr"'\\])/g, (_, character: string) => meant[character] ?? character);
}

/**
 * Lines that stay may be misremembered, as long as the lines that go are right: no line is changed that was not named.
 * Half of all lines, the first and the last among them, have to be right.
 */
function searchByContext(lines: readonly TextLine[], wanted: Wanted): FoundRegions | undefined {
  const { given, withEnd } = givenLines(wanted.oldString);
  const key = LINE_STRATEGIES.at(-1)?.key;
  if (given.length < 3 || !key) return undefined;
  const removed = new Set(
    diffLines(given, wanted.newString.split(/\r?\n/)).flatMap((step) => (step.kind === 'remove' ? step.old : [])),
  );
  const keys = given.map(key);
  const regions: Region[] = [];
  for (let at = 0; at + given.length <= lines.length; at++) {
    const real = lines.slice(at, at + given.length).map((line) => line.text);
    if (!fitsRoughly(keys, real.map(key), removed)) continue;
    const reindent = learnIndentation(given, real);
    if (reindent) regions.push({ ...regionOf(lines, at, given.length, withEnd), reindent });
  }
  return regions.length === 0 ? undefined : { regions, forgives: 'lines around the change', sure: false, wanted };
}

function fitsRoughly(given: readonly string[], real: readonly string[], removed: ReadonlySet<number>): boolean {
  const last = given.length - 1;
  if (given[0] !== real[0] || given[last] !== real[last] || given[0] === '') return false;
  let right = 0;
  for (const [index, line] of given.entries()) {
    const own = real[index] ?? '';
    if (line === own) right += line === '' ? 0 : 1;
    else if (removed.has(index)) return false;
    else if (distance(line, own) > MOST_UNLIKE * Math.max(line.length, own.length)) return false;
  }
  return right >= Math.max(2, LEAST_RIGHT * given.length);
}
