import { distance } from 'fastest-levenshtein';
import { shorten } from '../util/index.ts';
import { ToolFailure } from '../tools/index.ts';
import { toCrLf, usesCrLf } from './line-endings.ts';
import { findRuns, indentOf, lineNumberAt, linesOf, sameButBlanks, type TextLine } from './text-lines.ts';

const MAX_LISTED = 20;

export type Replacement = { oldString: string; newString: string; replaceAll: boolean };
/** A part of the text and what takes its place. */
type Edit = { start: number; end: number; replacement: string };

/** Replaces text that occurs once, or everywhere; nothing outside the matches changes. */
export function replaceText(
  text: string,
  wanted: Replacement,
  path: string,
): { text: string; edits: number; lines: string } {
  const { oldString, newString, replaceAll } = wanted;
  if (oldString === '') throw new ToolFailure('old_string is empty. To create or replace a whole file use write_file.');
  if (oldString === newString) throw new ToolFailure('old_string and new_string are the same; nothing to change.');
  const edits = findEdits(text, wanted);
  if (edits.length === 0) throw new ToolFailure(notFound(text, wanted, path));
  if (edits.length > 1 && !replaceAll) {
    throw new ToolFailure(
      `old_string occurs ${edits.length} times in ${path} (lines ${lineNumbers(text, edits)}). Add lines around it until it is unique, or set replace_all.`,
    );
  }
  return { text: applyEdits(text, edits), edits: edits.length, lines: lineNumbers(text, edits) };
}

/** Enough to find the places; thousands of numbers would help nobody. */
function lineNumbers(text: string, edits: readonly Edit[]): string {
  const numbers = edits.slice(0, MAX_LISTED).map(({ start }) => lineNumberAt(text, start));
  return numbers.join(', ') + (edits.length > MAX_LISTED ? ', …' : '');
}

/** Exact matches; where there is none, runs of lines that differ only in blanks at their ends. */
function findEdits(text: string, { oldString, newString }: Replacement): Edit[] {
  const crLf = usesCrLf(text);
  const wanted = crLf ? toCrLf(oldString) : oldString;
  const replacement = crLf ? toCrLf(newString) : newString;
  const exact: Edit[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    exact.push({ start: at, end: at + wanted.length, replacement });
  }
  return exact.length > 0 ? exact : findTolerantEdits(text, wanted, replacement);
}

/** Whole lines only, so that the edges of a match are never in doubt. */
function findTolerantEdits(text: string, wanted: string, replacement: string): Edit[] {
  const lines = linesOf(text);
  const wantedLines = linesOf(wanted).map((line) => line.text);
  if (wantedLines.every((line) => line.trim() === '')) return [];
  const edits: Edit[] = [];
  for (const at of findRuns(lines, wantedLines, sameButBlanks)) {
    const matched = lines.slice(at, at + wantedLines.length);
    const first = matched[0] as TextLine;
    const last = matched.at(-1) as TextLine;
    if (first.start < (edits.at(-1)?.end ?? 0)) continue;
    const end = wanted.endsWith('\n') ? last.next : last.end;
    edits.push({ start: first.start, end, replacement: reindent(replacement, wantedLines, matched) });
  }
  return edits;
}

/** Shifts the replacement by as much as the matched lines are shifted against the ones that were given. */
function reindent(replacement: string, wanted: readonly string[], matched: readonly TextLine[]): string {
  const at = wanted.findIndex((line) => line.trim() !== '');
  const given = indentOf(wanted[at] ?? '');
  const real = indentOf(matched[at]?.text ?? '');
  if (given === real) return replacement;
  return replacement
    .split('\n')
    .map((line) => (line.trim() !== '' && line.startsWith(given) ? real + line.slice(given.length) : line))
    .join('\n');
}

/** Built from slices of the original: what no edit covers cannot change. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, replacement } of edits) {
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

const MAX_NEAREST = 3;
const MAX_COMPARED_LINES = 20_000;
const MAX_COMPARED_LENGTH = 200;

/** Most misses are one wrong line; showing the right one saves a read. */
function notFound(text: string, { oldString, newString }: Replacement, path: string): string {
  if (newString.trim() !== '' && text.includes(newString)) {
    return `old_string is not in ${path}, but new_string is: the change seems to be made already.`;
  }
  const nearest = nearestLines(text, oldString);
  const hint = nearest.length > 0 ? ` The nearest lines are:\n${nearest.join('\n')}` : '';
  return `old_string is not in ${path}. Read the file and copy the text exactly.${hint}`;
}

/** The lines most like the first telling line of what was looked for. */
function nearestLines(text: string, oldString: string): string[] {
  const wanted = (oldString.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, MAX_COMPARED_LENGTH);
  if (wanted === '') return [];
  return linesOf(text)
    .slice(0, MAX_COMPARED_LINES)
    .map((line, index) => ({ line: line.text, number: index + 1, edits: editsBetween(wanted, line.text) }))
    .filter(({ edits }) => edits <= wanted.length / 2)
    .sort((a, b) => a.edits - b.edits || a.number - b.number)
    .slice(0, MAX_NEAREST)
    .map(({ line, number }) => `${number}|${shorten(line, MAX_COMPARED_LENGTH)}`);
}

function editsBetween(wanted: string, line: string): number {
  return distance(wanted, line.trim().slice(0, MAX_COMPARED_LENGTH));
}
