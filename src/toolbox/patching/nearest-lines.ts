import { distance } from 'fastest-levenshtein';
import { shorten } from '../../util/index.ts';
import { hasGutter, linesOf } from '../text/text-lines.ts';
import type { Wanted } from './merge-lines.ts';
import { withPlainNewlines } from './plain-text.ts';

const MAX_NEAREST = 3;
const MAX_COMPARED_LINES = 20_000;
const MAX_COMPARED_LENGTH = 200;

/** Most misses are one wrong line; showing the right one saves a read. */
export function explainMissing(text: string, { oldString, newString }: Wanted, path: string): string {
  if (newString.trim() !== '' && withPlainNewlines(text).text.includes(newString.replaceAll('\r\n', '\n'))) {
    return `old_string is not in ${path}, but new_string is: the change seems to be made already.`;
  }
  if (hasGutter(oldString)) {
    return `old_string is not in ${path}: it has the line numbers of read_file (N|) in it. Give the text without them.`;
  }
  const nearest = nearestLines(text, oldString);
  const hint = nearest.length > 0 ? ` The nearest lines are:\n${nearest.join('\n')}` : '';
  return `old_string is not in ${path}. Read the file and copy the text exactly.${hint}`;
}

/** The lines most like the first telling line of a text, with their numbers. */
export function nearestLines(text: string, wantedText: string): string[] {
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

/** A line much longer or shorter is not looked at more closely: comparing costs by the product of lengths. */
function editsBetween(wanted: string, line: string): number {
  const plain = line.trim().slice(0, MAX_COMPARED_LENGTH);
  const gap = Math.abs(plain.length - wanted.length);
  return gap > wanted.length / 2 ? gap : distance(wanted, plain);
}
