import { unifiedDiff } from '../patching/line-diff.ts';
import { sectionOf } from './sections.ts';

/** A difference must be at most this share of the text, because it is harder to read than the text itself. */
const MAX_SHARE = 0.5;
/** Below this length the text itself is clearer. */
const MIN_LENGTH = 800;

/** A result that shows a whole file, and the present text of that file in the same form. */
type Comparison = {
  result: string;
  /** The path above the file's text, if the result shows several files. */
  heading: string | undefined;
  /** How many lines of the file the result shows, if it was not shortened since. */
  lines: number;
  text: string;
};

/** The hunks between a result and the present text. Undefined if the text itself is shorter or clearer. */
export function differenceToShown({ result, heading, lines, text }: Comparison): string | undefined {
  if (text.length < MIN_LENGTH) return undefined;
  const old = shownLines(heading === undefined ? result : sectionOf(result, heading));
  const fresh = shownLines(text);
  if (old === undefined || fresh === undefined || old.length !== lines) return undefined;
  const { diff } = unifiedDiff(joined(old), joined(fresh), Number.POSITIVE_INFINITY);
  return diff === '' || diff.length > text.length * MAX_SHARE ? undefined : diff.trimEnd();
}

/** The text of lines that are numbered from 1. Notes may follow them. Undefined if the first line has no number. */
function shownLines(text: string | undefined): string[] | undefined {
  const lines: string[] = [];
  for (const line of text?.split('\n') ?? []) {
    const prefix = `${lines.length + 1}|`;
    if (!line.startsWith(prefix)) break;
    lines.push(line.slice(prefix.length));
  }
  return lines.length === 0 ? undefined : lines;
}

/** Each line has its own end, so that an empty last line counts as a line. */
function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
