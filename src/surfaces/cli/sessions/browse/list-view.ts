import { localTime } from '../../../../util/index.ts';
import { ROWS_AT_ONCE, type SessionRow } from '../../../text/session-rows.ts';
import { fitWidth, padWidth, textWidth } from '../../../../util/text-width.ts';
import { printable } from '../../style.ts';
import { type Key, type Size, scrollStep, type View } from './view.ts';

const HEAD_LINES = 2;
/** Narrower terminals show the time without the year. */
const NARROW = 60;

type ListViewOptions = {
  load(query: string, offset: number): Promise<SessionRow[]>;
  open(row: SessionRow): Promise<void>;
  leave(): void;
  /** Called when rows have been loaded. */
  changed(): void;
  failed(thrown: unknown): void;
};

type ListView = View & { reload(): Promise<void> };

/** A list of sessions to choose from. Typing searches them. */
export function createListView(options: ListViewOptions): ListView {
  let query = '';
  let rows: SessionRow[] = [];
  let [selected, top, asked] = [0, 0, 0];
  let isComplete = false;

  async function load(offset: number): Promise<void> {
    asked += 1;
    const mine = asked;
    const found = await options.load(query, offset);
    // Ignore the result if the user has typed since.
    if (mine !== asked) return;
    rows = offset === 0 ? found : [...rows, ...found];
    isComplete = query.trim() !== '' || found.length < ROWS_AT_ONCE;
    options.changed();
  }
  const loadQuietly = (offset: number) => void load(offset).catch(options.failed);

  function search(text: string): void {
    query = text;
    [selected, top] = [0, 0];
    loadQuietly(0);
  }

  function move(by: number): void {
    selected = Math.max(0, Math.min(rows.length - 1, selected + by));
    if (!isComplete && selected > rows.length - 20) loadQuietly(rows.length);
  }

  function pressNamed(name: Key['name'], page: number): Promise<void> | void {
    const by = scrollStep(name, page, rows.length);
    if (by !== undefined) return move(by);
    const row = rows[selected];
    if (name === 'return') return row === undefined ? undefined : options.open(row);
    if (name === 'backspace' && query !== '') return search([...query].slice(0, -1).join(''));
    if (name === 'clear') return search('');
    if (name !== 'escape') return undefined;
    return query === '' ? options.leave() : search('');
  }

  return {
    reload: () => load(0).then(() => move(0)),
    help: () => `↑↓ select · Enter open · type to search · Esc ${query === '' ? 'quit' : 'all sessions'}`,
    press: (key, screenRows) =>
      key.name === 'text' ? search(query + key.text) : pressNamed(key.name, Math.max(1, screenRows - HEAD_LINES - 1)),
    render({ columns, rows: height, style }) {
      const room = Math.max(1, height - HEAD_LINES);
      top = Math.max(Math.min(top, selected), selected - room + 1, 0);
      const head = query === '' ? style.dim('all, newest first') : `${fitWidth(printable(query), columns - 12)}▏`;
      const shown = rows.slice(top, top + room).map((row, at) => renderRow(row, top + at === selected, columns, style));
      const none = style.dim(query === '' ? '  There are no sessions yet.' : '  No matches.');
      return [`${style.bold('Sessions')}  ${head}`, '', ...(rows.length === 0 ? [none] : shown)];
    },
  };
}

function renderRow(row: SessionRow, isSelected: boolean, columns: number, style: Size['style']): string {
  const when = localTime(row.when).slice(columns < NARROW ? 5 : 0);
  const source = row.source === 'cli' ? '' : ` [${printable(row.source)}]`;
  const marker = isSelected ? '❯ ' : '  ';
  const room = columns - textWidth(marker) - textWidth(when) - 2;
  const title = fitWidth(`${printable(row.title ?? row.about)}${source}`, room);
  const about = row.title === undefined ? '' : fitWidth(printable(row.about), room - textWidth(title) - 3);
  const rest = about === '' ? '' : style.dim(` · ${about}`);
  const name = isSelected ? style.bold(style.cyan(title)) : title;
  return `${style.cyan(marker)}${style.dim(padWidth(when, 5))}  ${name}${rest}`;
}
