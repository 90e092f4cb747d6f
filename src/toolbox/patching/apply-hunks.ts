import { ToolFailure } from '../../tools/index.ts';
import { shorten } from '../../util/index.ts';
import { BYTE_ORDER_MARK } from '../text/line-endings.ts';
import { lineEndAt, linesOf, type TextLine } from '../text/text-lines.ts';
import { LINE_STRATEGIES, type LineMatch, matchLines } from './match-lines.ts';
import { keepIndent } from './indentation.ts';
import { nearestLines } from './nearest-lines.ts';
import type { Hunk } from './parse-patch.ts';

/** Applies the hunks of one file in order; a line that no hunk removes keeps its bytes. */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  // The mark is no character of the first line.
  if (text.startsWith(BYTE_ORDER_MARK)) return BYTE_ORDER_MARK + applyHunks(text.slice(1), hunks, path);
  const lines = linesOf(text);
  let result = '';
  let done = 0;
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.lines.filter(({ mark }) => mark !== '+').map((line) => line.text);
    const match = placeOf(hunk.hint, before, { text, lines, done, name: `hunk ${index + 1} of ${path}` });
    result += bytesOf(text, lines.slice(done, match.at));
    done = match.at + before.length;
    result = applyHunk(result, text, hunk, match, lines.slice(match.at, done));
  }
  const rest = bytesOf(text, lines.slice(done));
  // A file that had no newline at its end does not get one.
  const bare = rest === '' && text !== '' && !text.endsWith('\n');
  return bare ? result.replace(/\r?\n$/, '') : result + rest;
}

function bytesOf(text: string, lines: readonly TextLine[]): string {
  const [first] = lines;
  return first ? text.slice(first.start, lines.at(-1)?.next) : '';
}

/** Kept lines come from the file, whatever blanks the patch gave them. */
function applyHunk(before: string, text: string, hunk: Hunk, match: LineMatch, matched: readonly TextLine[]): string {
  const lineEnd = lineEndAt(text, matched[0]?.start ?? before.length);
  let result = before;
  let at = 0;
  /** What takes the place of a line ends like it. */
  let ends: string[] = [];
  for (const line of hunk.lines) {
    if (line.mark === '+') {
      if (result !== '' && !result.endsWith('\n')) result += lineEnd;
      result += match.reindent(line.text) + (ends.shift() || lineEnd);
      continue;
    }
    const own = matched[at];
    if (own) {
      if (line.mark === '-') ends.push(text.slice(own.end, own.next));
      else {
        result += text.slice(own.start, own.next);
        ends = [];
      }
    }
    at += 1;
  }
  return result;
}

/** Where a search for a hunk stands. */
type Position = { text: string; lines: readonly TextLine[]; done: number; name: string };

/** Where a hunk belongs: behind what is done, behind its hint, and at one place only. */
function placeOf(hint: string, before: readonly string[], position: Position): LineMatch {
  const { text, lines, name } = position;
  const from = afterHint(hint, position);
  if (before.length === 0) return { at: hint === '' ? lines.length : from + 1, reindent: keepIndent };
  for (const strategy of LINE_STRATEGIES) {
    const found = matchLines(lines, before, strategy, from);
    if (found.length > 1 && hint === '') {
      const places = found.map(({ at }) => at + 1).join(', ');
      throw new ToolFailure(
        `${name} fits in several places (lines ${places}). Add context lines. Nothing was changed.`,
      );
    }
    if (found[0]) return found[0];
  }
  const wanted = before.find((line) => line.trim() !== '') ?? '';
  const nearest = nearestLines(text, wanted);
  const help = nearest.length > 0 ? ` The nearest lines are:\n${nearest.join('\n')}` : '';
  throw new ToolFailure(
    `${name} does not fit: its lines, from "${shorten(wanted, 80)}", are not in the file${from > 0 ? ` from line ${from + 1} on` : ''}. Nothing was changed.${help}`,
  );
}

/** The line a hint names; a hunk is looked for from there on. */
function afterHint(hint: string, { lines, done, name }: Position): number {
  if (hint === '') return done;
  const at = lines.findIndex((line, index) => index >= done && line.text.includes(hint));
  if (at < 0) throw new ToolFailure(`${name}: no line has "${shorten(hint, 80)}". Nothing was changed.`);
  // The hint may be the first of the hunk's own lines.
  return at;
}
