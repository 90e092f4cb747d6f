import type { Theme } from '../render/index.ts';
import { printable } from '../style.ts';
import type { CursorPosition } from './canvas.ts';
import { decodeKittyPrintable, matchesKey } from './pi-tui.ts';
import { fitLine, lineWidth } from './width.ts';

/** Ctrl-R: searches the input history for a substring. */
export interface HistorySearch {
  /** Returns false if the key ended the search and still has to be handled. */
  handleKey(data: string): boolean;
  render(width: number, theme: Theme): { lines: string[]; cursor: CursorPosition };
}

type SearchOptions = {
  /** Oldest first. */
  entries: readonly string[];
  /** Called when the search ends, with the selected entry if there is one. */
  onEnd(found: string | undefined): void;
};

export function createHistorySearch({ entries, onEnd }: SearchOptions): HistorySearch {
  // Removes duplicates, so that each text is found only once.
  const newestFirst = [...new Set(entries.toReversed())];
  let query = '';
  let skipped = 0;
  const matches = () => {
    const wanted = query.toLowerCase();
    return query === '' ? newestFirst : newestFirst.filter((entry) => entry.toLowerCase().includes(wanted));
  };
  const move = (by: number) => {
    skipped = Math.max(0, Math.min(skipped + by, matches().length - 1));
  };
  const type = (text: string) => {
    query = text;
    skipped = 0;
  };
  const actions: readonly (readonly [Parameters<typeof matchesKey>[1], () => void])[] = [
    ['ctrl+r', () => move(1)],
    ['up', () => move(1)],
    ['ctrl+s', () => move(-1)],
    ['down', () => move(-1)],
    ['backspace', () => type(query.slice(0, -1))],
    ['escape', () => onEnd(undefined)],
    ['ctrl+c', () => onEnd(undefined)],
    ['ctrl+g', () => onEnd(undefined)],
    ['enter', () => onEnd(matches()[skipped])],
    ['tab', () => onEnd(matches()[skipped])],
  ];
  return {
    handleKey(data) {
      const action = actions.find(([key]) => matchesKey(data, key));
      const typed = decodeKittyPrintable(data) ?? (isPrintable(data) ? data : undefined);
      if (action !== undefined) action[1]();
      else if (typed !== undefined) type(query + typed);
      else onEnd(matches()[skipped]);
      return action !== undefined || typed !== undefined;
    },
    render(width, theme) {
      const label = `search: ${printable(query)}`;
      const found = matches()[skipped];
      const shown = found === undefined ? theme.yellow('no match') : printable(found).replace(/\s+/g, ' ');
      const lines = [fitLine(`${theme.cyan('❯')} ${shown}`, width), fitLine(theme.dim(label), width)];
      return { lines, cursor: { row: 1, column: lineWidth(label) } };
    },
  };
}

function isPrintable(data: string): boolean {
  return data !== '' && printable(data) === data && !data.includes('\n') && !data.includes('\t');
}
