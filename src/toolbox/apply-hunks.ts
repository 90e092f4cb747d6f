import { ToolFailure } from '../tools/index.ts';
import { shorten } from '../util/index.ts';
import { usesCrLf } from './line-endings.ts';
import type { Hunk } from './parse-patch.ts';
import { findRuns, linesOf, sameButBlanks, sameExactly, type TextLine } from './text-lines.ts';

/** Applies the hunks of one file in order; a line that no hunk removes keeps its bytes. */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  const lineEnd = usesCrLf(text) ? '\r\n' : '\n';
  const lines = linesOf(text);
  let result = '';
  let done = 0;
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.lines.filter(({ mark }) => mark !== '+').map((line) => line.text);
    const at = placeOf(hunk.hint, before, lines, done, `hunk ${index + 1} of ${path}`);
    result += bytesOf(text, lines.slice(done, at));
    done = at + before.length;
    result = applyHunk(result, text, hunk, lines.slice(at, done), lineEnd);
  }
  const rest = bytesOf(text, lines.slice(done));
  // A file that had no newline at its end does not get one.
  const bare = rest === '' && text !== '' && !text.endsWith('\n') && result.endsWith(lineEnd);
  return bare ? result.slice(0, -lineEnd.length) : result + rest;
}

function bytesOf(text: string, lines: readonly TextLine[]): string {
  const [first] = lines;
  return first ? text.slice(first.start, lines.at(-1)?.next) : '';
}

/** Kept lines come from the file, whatever blanks the patch gave them. */
function applyHunk(before: string, text: string, hunk: Hunk, matched: readonly TextLine[], lineEnd: string): string {
  let result = before;
  let at = 0;
  for (const line of hunk.lines) {
    if (line.mark === '+') {
      if (result !== '' && !result.endsWith('\n')) result += lineEnd;
      result += line.text + lineEnd;
      continue;
    }
    const own = matched[at];
    if (line.mark === ' ' && own) result += text.slice(own.start, own.next);
    at += 1;
  }
  return result;
}

/** Where a hunk belongs: behind what is done, behind its hint, and at one place only. */
function placeOf(
  hint: string,
  before: readonly string[],
  lines: readonly TextLine[],
  done: number,
  name: string,
): number {
  const from = afterHint(hint, lines, done, name);
  if (before.length === 0) return hint === '' ? lines.length : from + 1;
  for (const same of [sameExactly, sameButBlanks]) {
    const found = findRuns(lines, before, same, from);
    if (found.length > 1 && hint === '') {
      const places = found.map((at) => at + 1).join(', ');
      throw new ToolFailure(
        `${name} fits in several places (lines ${places}). Add context lines. Nothing was changed.`,
      );
    }
    if (found[0] !== undefined) return found[0];
  }
  const wanted = shorten(before.find((line) => line.trim() !== '') ?? '', 80);
  throw new ToolFailure(`${name} does not fit: its lines, from "${wanted}", are not in the file. Nothing was changed.`);
}

/** The line a hint names; a hunk is looked for from there on. */
function afterHint(hint: string, lines: readonly TextLine[], done: number, name: string): number {
  if (hint === '') return done;
  const at = lines.findIndex((line, index) => index >= done && line.text.includes(hint));
  if (at < 0) throw new ToolFailure(`${name}: no line has "${shorten(hint, 80)}". Nothing was changed.`);
  // The hint may be the first of the hunk's own lines.
  return at;
}
