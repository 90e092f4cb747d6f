import { distance } from 'fastest-levenshtein';
import { ToolFailure } from '../../tools/index.ts';
import { BYTE_ORDER_MARK, lineNumberAt, linesOf, type TextLine } from '../text/text-lines.ts';
import { keepIndent, learnIndentation, LINE_STRATEGIES, type LineStrategy, matchLines } from './match-lines.ts';
import { diffLines } from './line-diff.ts';
import { mergeLines, type Region, type RequestedReplacement } from './merge-lines.ts';
import { explainMissing } from './nearest-lines.ts';
import { withPlainCharacters, withPlainNewlines } from './plain-text.ts';

const MAX_LISTED = 20;
const MAX_SHOWN = 12;

type Replacement = RequestedReplacement & { replaceAll: boolean };
type Replaced = {
  text: string;
  edits: number;
  /** Line numbers of the replaced regions, for the result text. */
  lines: string;
  /** Says which differences were ignored and what was done; empty after an exact match. */
  note: string;
};

/** Replaces a unique occurrence or all occurrences; nothing else changes. */
export function replaceText(text: string, wanted: Replacement, path: string): Replaced {
  rejectNoOp(wanted);
  // The byte order mark is not part of the first line.
  if (text.startsWith(BYTE_ORDER_MARK) && !wanted.oldString.startsWith(BYTE_ORDER_MARK)) {
    const replaced = replaceText(text.slice(1), wanted, path);
    return { ...replaced, text: BYTE_ORDER_MARK + replaced.text };
  }
  const found = findRegions(text, wanted);
  if (!found) throw new ToolFailure(explainMissing(text, wanted, path));
  rejectAmbiguousMatch(text, found, wanted.replaceAll, path);
  const { regions } = found;
  const result = applyRegions(text, found);
  if (result === text)
    throw new ToolFailure(`${path} already contains the new text; the replacement would change nothing.`);
  return { text: result, edits: regions.length, lines: listLines(text, regions), note: describeMatch(result, found) };
}

function rejectNoOp({ oldString, newString }: RequestedReplacement): void {
  if (oldString === '')
    throw new ToolFailure(
      'old_string is empty. Nothing was changed. To create a file or replace its whole content, use write_file.',
    );
  if (oldString === newString) throw new ToolFailure('old_string and new_string are identical; nothing was changed.');
}

function rejectAmbiguousMatch(
  text: string,
  { regions, forgives, sure }: FoundRegions,
  replaceAll: boolean,
  path: string,
): void {
  if (regions.length > 1 && !replaceAll) {
    throw new ToolFailure(
      `old_string occurs ${regions.length} times in ${path} (lines ${listLines(text, regions)}). Nothing was changed. Add surrounding lines to make it unique, or set replace_all.`,
    );
  }
  if (replaceAll && !sure) {
    throw new ToolFailure(
      `old_string matches ${path} only approximately (lines ${listLines(text, regions)}; it differs in ${forgives}), and replace_all requires an exact match. Nothing was changed. Copy the text exactly.`,
    );
  }
}

/** The line numbers of the regions, at most `MAX_LISTED` of them. */
function listLines(text: string, regions: readonly Region[]): string {
  const numbers = regions.slice(0, MAX_LISTED).map(({ start }) => lineNumberAt(text, start));
  return numbers.join(', ') + (regions.length > MAX_LISTED ? ', …' : '');
}

/** Built from slices of the original, so that nothing outside the regions can change. */
function applyRegions(text: string, { regions, wanted }: FoundRegions): string {
  let result = '';
  let at = 0;
  for (const [index, region] of regions.entries()) {
    const room = { from: at, to: regions[index + 1]?.start ?? text.length };
    const { start, end, replacement } = mergeLines(text, region, wanted, room);
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

/** Describes an inexact match, so that the model can check the outcome; empty after an exact match. */
function describeMatch(result: string, { regions, forgives, wanted }: FoundRegions): string {
  const [first] = regions;
  if (forgives === '' || !first) return '';
  const count = wanted.newString.replace(/\n$/, '').split('\n').length;
  const from = lineNumberAt(result, first.start);
  const shown = linesOf(result).slice(from - 1, from - 1 + Math.min(count, MAX_SHOWN));
  const lines = shown.map((line, index) => `${from + index}|${line.text.slice(0, 200)}`);
  return `\nold_string differed from the file in ${forgives}. The file now contains:\n${lines.join('\n')}`;
}

/** The matches of one strategy. */
type FoundRegions = {
  regions: Region[];
  /** The ignored differences; empty after an exact match. */
  forgives: string;
  sure: boolean;
  /** The searched text, possibly unescaped. */
  wanted: RequestedReplacement;
};

/** How different a context line may be, and which share of the lines must match exactly. */
const MAX_UNLIKE = 0.5;
const MIN_RIGHT = 0.5;

/** Tries strategies from strict to lenient; the first with a match decides. */
function findRegions(text: string, wanted: RequestedReplacement): FoundRegions | undefined {
  const lines = linesOf(text);
  return search(text, lines, wanted) ?? searchUnescaped(text, lines, wanted) ?? searchByContext(lines, wanted);
}

function search(text: string, lines: readonly TextLine[], wanted: RequestedReplacement): FoundRegions | undefined {
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

/** Searches the whole text, treating CRLF and LF as equal. */
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

/** Matches whole lines only, so that the boundaries are unambiguous. */
function searchLines(
  lines: readonly TextLine[],
  wanted: RequestedReplacement,
  strategy: LineStrategy,
): FoundRegions | undefined {
  const { given, withEnd } = givenLines(wanted.oldString);
  const matches = matchLines(lines, given, strategy);
  if (matches.length === 0) return undefined;
  const regions = matches.map(({ at, reindent }) => ({ ...regionOf(lines, at, given.length, withEnd), reindent }));
  return { regions, forgives: strategy.ignoredDifference, sure: strategy.sure, wanted };
}

/** A trailing newline belongs to the last line. */
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

/** Some models escape an argument twice, so `\n` and `\"` are unescaped. */
function searchUnescaped(
  text: string,
  lines: readonly TextLine[],
  wanted: RequestedReplacement,
): FoundRegions | undefined {
  const { oldString, newString } = wanted;
  // If the text also contains real newlines, `\n` may be meant literally.
  if (!/\\[nt"']/.test(oldString) || /\n/.test(oldString + newString)) return undefined;
  const found = search(text, lines, { oldString: unescape(oldString), newString: unescape(newString) });
  return found && { ...found, forgives: ['escaped characters', found.forgives].filter(Boolean).join(', ') };
}

function unescape(text: string): string {
  const meant: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
  return text.replace(/\\([ntr"'\\])/g, (_, character: string) => meant[character] ?? character);
}

/**
 * Accepts inexact context lines if all removed lines match exactly, so that no other line is changed. The first, the
 * last and half of all lines must match.
 */
function searchByContext(lines: readonly TextLine[], wanted: RequestedReplacement): FoundRegions | undefined {
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
  return regions.length === 0 ? undefined : { regions, forgives: 'the lines around the change', sure: false, wanted };
}

function fitsRoughly(given: readonly string[], real: readonly string[], removed: ReadonlySet<number>): boolean {
  const last = given.length - 1;
  if (given[0] !== real[0] || given[last] !== real[last] || given[0] === '') return false;
  let right = 0;
  for (const [index, line] of given.entries()) {
    const own = real[index] ?? '';
    if (line === own) right += line === '' ? 0 : 1;
    else if (removed.has(index)) return false;
    else if (distance(line, own) > MAX_UNLIKE * Math.max(line.length, own.length)) return false;
  }
  return right >= Math.max(2, MIN_RIGHT * given.length);
}
