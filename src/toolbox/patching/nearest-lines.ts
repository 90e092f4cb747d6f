import { distance } from 'fastest-levenshtein';
import { shorten } from '../../util/index.ts';
import { hasLineNumbers, linesOf } from '../text/text-lines.ts';
import type { RequestedReplacement } from './merge-lines.ts';
import { withPlainNewlines } from './plain-text.ts';

const MAX_NEAREST = 3;
const MAX_COMPARED_LINES = 20_000;
const MAX_COMPARED_LENGTH = 200;

/** Explains why `old_string` was not found. Usually one line is wrong; showing the most similar one saves a read. */
export function explainMissing(text: string, { oldString, newString }: RequestedReplacement, path: string): string {
  if (newString.trim() !== '' && withPlainNewlines(text).text.includes(newString.replaceAll('\r\n', '\n'))) {
    return `old_string was not found in ${path}, but new_string was found: the change seems to have been made already. Nothing was changed.`;
  }
  if (hasLineNumbers(oldString)) {
    return `old_string was not found in ${path}: it contains the line numbers of read_file (N|). Nothing was changed. Remove the line numbers.`;
  }
  const nearest = mostSimilarLines(text, oldString);
  const hint = nearest.length > 0 ? ` The most similar lines are:\n${nearest.join('\n')}` : '';
  return `old_string was not found in ${path}. Nothing was changed. Read the file and copy the text exactly.${hint}`;
}

/** The lines most similar to the first non-blank line of a text, with their numbers. */
export function mostSimilarLines(text: string, wantedText: string): string[] {
  const wanted = (wantedText.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, MAX_COMPARED_LENGTH);
  if (wanted === '') return [];
  return linesOf(text)
    .slice(0, MAX_COMPARED_LINES)
    .map((line, index) => ({ line: line.text, number: index + 1, edits: editsBetween(wanted, line.text) }))
    .filter(({ edits }) => edits <= wanted.length / 2)
    .sort((a, b) => a.edits - b.edits || a.number - b.number)
    .slice(0, MAX_NEAREST)
    .map(({ line, number }) => `${number}|${shorten(line, MAX_COMPARED_LENGTH)}`);
}

/** Edit distance; a line of very different length is not compared, because the cost is the product of the lengths. */
function editsBetween(wanted: string, line: string): number {
  const plain = line.trim().slice(0, MAX_COMPARED_LENGTH);
  const gap = Math.abs(plain.length - wanted.length);
  return gap > wanted.length / 2 ? gap : distance(wanted, plain);
}
