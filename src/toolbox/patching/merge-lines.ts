import { lineEndAt } from '../text/text-lines.ts';
import type { Reindent } from './match-lines.ts';
import { diffLines, type LineStep } from './line-diff.ts';
import { withPlainCharacters } from './plain-text.ts';

/** What the model wants to be changed. */
export type Wanted = { oldString: string; newString: string };
/** A part of a text that stands for what the model gave. */
export type Region = { start: number; end: number; reindent: Reindent };
/** A part of a text and what takes its place. */
type Edit = { start: number; end: number; replacement: string };

/** A line of a region: what the model can have named of it, blanks in front and behind, and its line end. */
type Segment = { lead: string; text: string; blanks: string; end: string };
/** A line as the model gave it, and as it is in the file. */
type RemovedLine = { line: string; own: Segment };
type MergedLine = Segment & { kept: boolean };

const NO_LINE: Segment = { lead: '', text: '', blanks: '', end: '' };

/**
 * What takes the place of a region: lines that the model did not change keep their bytes, new ones fit in. Where only
 * blanks stand around a region in its first and last line, they belong to these lines; `room` is where to look.
 */
export function mergeLines(text: string, region: Region, wanted: Wanted, room: Room): Edit {
  const lineEnd = lineEndAt(text, region.start);
  const { segments, start, end } = segmentsOf(text, region, room);
  const [first = NO_LINE, last = first] = [segments[0], segments.at(-1)];
  const old = wanted.oldString.split(/\r?\n/);
  const fresh = wanted.newString.split(lineEnd === '\r\n' ? /\r?\n/ : '\n');
  // The last line of a file may be without the newline that the model gave it.
  if (old.length > segments.length && old.pop() === '' && fresh.at(-1) === '') fresh.pop();
  const merged = mergeSteps(diffLines(old, fresh), { old, fresh, segments, lineEnd, reindent: region.reindent });
  const lines = merged.map((line, index) => {
    const lead = index > 0 || line.kept ? line.lead : first.lead;
    if (index < merged.length - 1) return lead + line.text + line.blanks + (line.end || lineEnd);
    // What comes last stands where the last line stood, unless it has its own ways.
    const { blanks, end: ownEnd } = line.kept ? line : last;
    return lead + line.text + blanks + (last.end === '' ? '' : ownEnd || lineEnd);
  });
  return { start, end, replacement: lines.join('') };
}

/** Between which places the surroundings of a region may be looked at: there the regions before and after it are. */
export type Room = { from: number; to: number };

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
      // What takes the place of a line ends like it, also where the file has ends of both kinds.
      merged.push({ ...NO_LINE, text, end: before?.own.end ?? lineEnd, kept: false });
    }
  }
  return merged;
}

/** The lines of a region, and where the first begins and the last ends. */
function segmentsOf(text: string, region: Region, room: Room): { segments: Segment[]; start: number; end: number } {
  const lines = text.slice(region.start, region.end).split('\n');
  const start = startOfBlanks(text, region.start, room.from);
  const [after = '', blanks = '', lineEnd = ''] = /^([ \t]*)(\r?\n|$)/.exec(text.slice(region.end, room.to)) ?? [];
  // Where text of the same line follows, what that is like is none of our business.
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

/** The beginning of the line, if there are only blanks up to there. */
function startOfBlanks(text: string, place: number, lowest: number): number {
  let start = place;
  while (start > lowest && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return start === 0 || text[start - 1] === '\n' ? start : place;
}

/** A changed line keeps the characters in front of and behind the change, also where they only look like the model's. */
function mergeLine({ line, own: { text: own } }: RemovedLine, fresh: string, reindent: Reindent): string {
  if (own === line || withPlainCharacters(own) !== withPlainCharacters(line)) return reindent(fresh);
  let start = 0;
  while (start < line.length && start < fresh.length && line[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(line.length, fresh.length) - start;
  while (end < most && line[line.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  return own.slice(0, start) + fresh.slice(start, fresh.length - end) + own.slice(own.length - end);
}
