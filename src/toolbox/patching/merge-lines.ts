import { lineEndAt } from '../text/text-lines.ts';
import type { Reindent } from './indentation.ts';
import { diffLines } from './line-diff.ts';
import { withPlainCharacters } from './plain-text.ts';

/** A part of a text that stands for what the model gave. */
export type Region = { start: number; end: number; reindent: Reindent };

/** What takes the place of a region: lines that the model did not change keep their bytes, new ones fit in. */
export function mergeLines(text: string, region: Region, oldString: string, newString: string): string {
  const segments = segmentsOf(text.slice(region.start, region.end));
  const lineEnd = lineEndAt(text, region.start);
  const old = oldString.split(/\r?\n/);
  const fresh = newString.split(lineEnd === '\r\n' ? /\r?\n/ : '\n');
  const merged: { text: string; end: string }[] = [];
  let removed: { line: string; own: string }[] = [];
  for (const step of diffLines(old, fresh)) {
    if (step.kind === 'keep') {
      const own = segments[step.old] ?? { text: '', end: '' };
      merged.push(own);
      removed = [];
    } else if (step.kind === 'remove') {
      removed.push({ line: old[step.old] ?? '', own: segments[step.old]?.text ?? '' });
    } else {
      const line = fresh[step.fresh] ?? '';
      const before = removed.shift();
      merged.push({ text: before ? mergeLine(before, line, region.reindent) : region.reindent(line), end: lineEnd });
    }
  }
  return merged.map((line, index) => line.text + (index < merged.length - 1 ? line.end || lineEnd : '')).join('');
}

/** Lines with their ends; the last has none, because a region ends in front of it or behind it. */
function segmentsOf(text: string): { text: string; end: string }[] {
  return text.split('\n').map((line, index, all) => {
    if (index === all.length - 1) return { text: line, end: '' };
    return line.endsWith('\r') ? { text: line.slice(0, -1), end: '\r\n' } : { text: line, end: '\n' };
  });
}

/** A changed line keeps the characters in front of and behind the change, also where they only look like the model's. */
function mergeLine({ line, own }: { line: string; own: string }, fresh: string, reindent: Reindent): string {
  const plain = withPlainCharacters(own);
  if (own === line || plain !== withPlainCharacters(line)) return reindent(fresh);
  let start = 0;
  while (start < line.length && start < fresh.length && line[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(line.length, fresh.length) - start;
  while (end < most && line[line.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  return own.slice(0, start) + fresh.slice(start, fresh.length - end) + own.slice(own.length - end);
}
