import { lineEndAt } from '../text/text-lines.ts';
import type { Reindent } from './match-lines.ts';
import { diffLines, type LineStep } from './line-diff.ts';
import { withPlainCharacters } from './plain-text.ts';

/** The replacement that the model asked for. */
export type RequestedReplacement = { oldString: string; newString: string };
/** The match region: the part of the file that corresponds to `oldString`. */
export type Region = { start: number; end: number; reindent: Reindent };
/** A part of the text and its replacement. */
type Edit = { start: number; end: number; replacement: string };

/** A line of a region: its text, the white space before and after it, and its line ending. */
type Segment = { lead: string; text: string; blanks: string; end: string };
/** A removed line as the model wrote it and as it is in the file. */
type RemovedLine = { line: string; own: Segment };
type MergedLine = Segment & { kept: boolean };

const NO_LINE: Segment = { lead: '', text: '', blanks: '', end: '' };

/**
 * Computes the replacement of a region. Lines that the model did not change keep their bytes; new lines take the
 * indentation and line endings of the file. White space before the first and after the last line of the region
 * belongs to these lines if nothing else is on them; `room` limits how far to look.
 */
export function mergeLines(text: string, region: Region, wanted: RequestedReplacement, room: OffsetRange): Edit {
  const lineEnd = lineEndAt(text, region.start);
  const { segments, start, end } = segmentsOf(text, region, room);
  const [first = NO_LINE, last = first] = [segments[0], segments.at(-1)];
  const old = wanted.oldString.split(/\r?\n/);
  const fresh = wanted.newString.split(lineEnd === '\r\n' ? /\r?\n/ : '\n');
  // The last line of a file may lack the newline that the model wrote.
  if (old.length > segments.length && old.pop() === '' && fresh.at(-1) === '') fresh.pop();
  const merged = mergeSteps(diffLines(old, fresh), { old, fresh, segments, lineEnd, reindent: region.reindent });
  const lines = merged.map((line, index) => {
    const lead = index > 0 || line.kept ? line.lead : first.lead;
    if (index < merged.length - 1) return lead + line.text + line.blanks + (line.end || lineEnd);
    // A new last line takes the trailing white space and line ending of the old last line.
    const { blanks, end: ownEnd } = line.kept ? line : last;
    return lead + line.text + blanks + (last.end === '' ? '' : ownEnd || lineEnd);
  });
  return { start, end, replacement: lines.join('') };
}

/** The offsets between the previous and the next region. */
export type OffsetRange = { from: number; to: number };

type Merging = { old: string[]; fresh: string[]; segments: Segment[]; lineEnd: string; reindent: Reindent };

function mergeSteps(steps: readonly LineStep[], { old, fresh, segments, lineEnd, reindent }: Merging): MergedLine[] {
  const merged: MergedLine[] = [];
  let removed: RemovedLine[] = [];
  for (const step of steps) {
    if (step.kind === 'keep') {
      merged.push({ ...(segments[step.old] ?? NO_LINE), kept: true });
      removed = [];
    } else if (step.kind === 'remove') {
      removed.push({ line: old[step.old] ?? '', own: segments[step.old] ?? NO_LINE });
    } else {
      const line = fresh[step.fresh] ?? '';
      const before = removed.shift();
      const text = before ? mergeLine(before, line, reindent) : reindent(line);
      // A replacement takes the line ending of the line it replaces, which matters in files with mixed endings.
      merged.push({ ...NO_LINE, text, end: before?.own.end ?? lineEnd, kept: false });
    }
  }
  return merged;
}

/** The lines of a region, and the offsets of the first and last one including white space. */
function segmentsOf(
  text: string,
  region: Region,
  room: OffsetRange,
): { segments: Segment[]; start: number; end: number } {
  const lines = text.slice(region.start, region.end).split('\n');
  const start = startOfBlanks(text, region.start, room.from);
  const [after = '', blanks = '', lineEnd = ''] = /^([ \t]*)(\r?\n|$)/.exec(text.slice(region.end, room.to)) ?? [];
  // If more text follows on the last line, that text is left alone.
  const isWhole = lineEnd !== '' || region.end + after.length === text.length;
  const segments = lines.map((line, index): Segment => {
    const lead = index === 0 ? text.slice(start, region.start) : '';
    if (index === lines.length - 1) {
      return isWhole ? { lead, text: line, blanks, end: lineEnd } : { ...NO_LINE, lead, text: line };
    }
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    return { lead, text: bare, blanks: '', end: bare === line ? '\n' : '\r\n' };
  });
  return { segments, start, end: region.end + (isWhole ? after.length : 0) };
}

/** The start of the line if only white space precedes `place`, otherwise `place`. */
function startOfBlanks(text: string, index: number, lowest: number): number {
  let start = index;
  while (start > lowest && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return start === 0 || text[start - 1] === '\n' ? start : index;
}

/** Applies the model's change of a line and keeps the file's own characters around it, such as typographic quotes. */
function mergeLine({ line, own: { text: own } }: RemovedLine, fresh: string, reindent: Reindent): string {
  if (own === line || withPlainCharacters(own) !== withPlainCharacters(line)) return reindent(fresh);
  let start = 0;
  while (start < line.length && start < fresh.length && line[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(line.length, fresh.length) - start;
  while (end < most && line[line.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  return own.slice(0, start) + fresh.slice(start, fresh.length - end) + own.slice(own.length - end);
}
