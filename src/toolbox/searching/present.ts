import { shorten } from '../../util/index.ts';
import type { SearchArguments } from '../search-files.ts';
import type { FileMatches, FoundLine } from './engine.ts';

const MAX_LIMIT = 1000;
const MAX_SHOWN_LINE = 400;

/** One entry of the answer; several in a row may stand under the same path. */
export type Entry = { path: string; text: string };

export function clampLimit(limit: number): number {
  return Math.min(Math.max(limit, 1), MAX_LIMIT);
}

/** What one file adds to the answer. */
export function entriesOf({ path, lines }: FileMatches, mode: SearchArguments['output_mode'], around: number): Entry[] {
  if (mode === 'files_only') return [{ path, text: '' }];
  const matches = lines.filter(({ isMatch }) => isMatch);
  if (mode === 'count') return [{ path, text: `:${matches.length}` }];
  return matchGroups(lines, around).map((group) => ({ path, text: group.map(showLine).join('\n') }));
}

/** Each match with the lines around it; a line between two belongs to the first it is near to. */
function matchGroups(lines: readonly FoundLine[], around: number): FoundLine[][] {
  const groups: FoundLine[][] = [];
  let waiting: FoundLine[] = [];
  let last: number | undefined;
  for (const line of lines) {
    if (line.isMatch) {
      groups.push([...waiting, line]);
      waiting = [];
      last = line.number;
    } else if (last !== undefined && line.number <= last + around) groups.at(-1)?.push(line);
    else waiting.push(line);
  }
  return groups;
}

function showLine({ number, text, isMatch }: FoundLine): string {
  return `${number}${isMatch ? ':' : '-'}${text.length > MAX_SHOWN_LINE ? shorten(text, MAX_SHOWN_LINE) : text}`;
}

/** The wanted part of the entries, and what there is to say beside them. */
export function present(
  entries: readonly Entry[],
  args: SearchArguments,
  nameOf: (path: string) => string,
  notes: readonly string[],
): string {
  const offset = Math.max(args.offset, 0);
  const limit = clampLimit(args.limit);
  const shown = entries.slice(offset, offset + limit);
  const more = entries.length > offset + limit ? `more with offset ${offset + limit}` : '';
  const notice = [...notes, more].filter((text) => text !== '').join('; ');
  const end = notice === '' ? [] : [`[${notice}]`];
  if (shown.length > 0) return [...grouped(shown, nameOf), ...end].join('\n');
  const nothing = entries.length > 0 ? `No more matches: there are ${entries.length}.` : 'No matches.';
  return [nothing, ...end].join('\n');
}

/** A path stands once above its lines. */
function grouped(entries: readonly Entry[], nameOf: (path: string) => string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const { path, text } of entries) {
    if (text === '' || text.startsWith(':')) lines.push(nameOf(path) + text);
    else {
      if (path !== current) lines.push(nameOf(path));
      lines.push(text);
      current = path;
    }
  }
  return lines;
}
