import type { PickItem, PickRequest } from '../../slash/index.ts';
import { fitWidth, padWidth, textWidth, wrapText } from '../../../util/text-width.ts';
import type { Theme } from '../render/index.ts';
import { printable } from '../style.ts';
import type { CursorPosition } from './canvas.ts';

type PickerView = {
  request: PickRequest;
  query: string;
  shown: readonly PickItem[];
  selected: number;
  top: number;
  isLoading: boolean;
};

type Room = { width: number; rows: number; theme: Theme };
type PickerLayout = { lines: string[]; cursor: CursorPosition; top: number; page: number };

const KEYS = '↑↓ select · type to search · Enter choose · Esc cancel';
const MAX_DETAIL_ROWS = 3;
/** From this many rows on, there is room for the title and the keys. */
const [ROWS_WITH_TITLE, ROWS_WITH_KEYS, ROWS_WITH_DETAIL] = [4, 6, 9];
const SEARCH_LABEL = 'search: ';
const MARKER = '❯ ';
const GAP = '  ';
/** The minimum width of the second column. */
const MIN_ABOUT_WIDTH = 12;

/** Lays out a picker: title, search line, list, and the details of the selected item. */
export function layOutPicker(view: PickerView, { width, rows, theme }: Room): PickerLayout {
  const { request, query, shown, selected } = view;
  const head = rows >= ROWS_WITH_TITLE ? [titleLine(view, width, theme)] : [];
  const keys = rows >= ROWS_WITH_KEYS ? [theme.dim(fitWidth(KEYS, width))] : [];
  const detail = rows >= ROWS_WITH_DETAIL ? detailLines(request, shown[selected], width, theme) : [];
  const label = width >= 2 * SEARCH_LABEL.length ? SEARCH_LABEL : '';
  // The end of a long query is shown, because that is where the cursor is.
  const typed = endOf(printable(query), Math.max(1, width - label.length - 1));
  const search = theme.dim(label) + typed;
  const page = Math.max(1, rows - head.length - 1 - detail.length - keys.length);
  const top = Math.max(0, Math.min(Math.max(view.top, selected - page + 1), selected, shown.length - page));
  const visible = shown.slice(top, top + page);
  const columns = columnWidths(visible, width);
  const list = visible.map((item, index) =>
    itemLine(item, { ...columns, isSelected: top + index === selected, theme }),
  );
  const none = view.isLoading ? 'Loading…' : shown.length > 0 ? undefined : emptyText(request, query);
  const body = shown.length === 0 && none !== undefined ? [GAP + theme.dim(fitWidth(none, width - GAP.length))] : list;
  const cursor = { row: head.length, column: textWidth(label + typed) };
  return { lines: [...head, search, ...body, ...detail, ...keys], cursor, top, page };
}

function titleLine({ request, shown, selected, isLoading }: PickerView, width: number, theme: Theme): string {
  const position = shown.length === 0 ? '' : `${selected + 1}/${shown.length}`;
  const whole = [position, isLoading && position !== '' ? 'loading more…' : ''].filter(Boolean).join(' · ');
  const room = width - GAP.length;
  const count = fitWidth(whole, Math.floor(room / 2));
  const title = fitWidth(printable(request.title), Math.max(1, room - textWidth(count)));
  return `${theme.bold(title)}${count === '' ? '' : GAP + theme.dim(count)}`;
}

function emptyText({ empty }: PickRequest, query: string): string {
  return query.trim() === '' ? printable(empty ?? 'The list is empty.') : 'No matches. Esc clears the search.';
}

/** The same number of rows for every item, so that the list below does not move with the selection. */
function detailLines({ items }: PickRequest, item: PickItem | undefined, width: number, theme: Theme): string[] {
  if (!items.some(({ detail }) => detail !== undefined)) return [];
  const lines = wrapText(printable(item?.detail ?? ''), Math.max(1, width - GAP.length));
  const shown =
    lines.length > MAX_DETAIL_ROWS ? [...lines.slice(0, MAX_DETAIL_ROWS - 1), `${lines[MAX_DETAIL_ROWS - 1]}…`] : lines;
  const padded = [...shown, ...Array.from({ length: MAX_DETAIL_ROWS - shown.length }, () => '')];
  return padded.map((line) => (line === '' ? '' : theme.dim(GAP + fitWidth(line, width - GAP.length))));
}

type Columns = { label: number; about: number; note: number };

/** The label column is as wide as the widest visible label, but leaves room for the others. */
function columnWidths(items: readonly PickItem[], width: number): Columns {
  const widest = (texts: readonly (string | undefined)[]) =>
    Math.max(0, ...texts.map((text) => textWidth(printable(text ?? ''))));
  const room = Math.max(1, width - MARKER.length);
  const wantedNote = widest(items.map(({ note }) => note));
  const note = wantedNote > 0 && wantedNote + GAP.length <= room / 2 ? wantedNote : 0;
  const left = room - (note === 0 ? 0 : note + GAP.length);
  const hasAbout = items.some(({ about }) => about !== undefined && about !== '');
  const wantedLabel = widest(items.map(({ label }) => label));
  const label = hasAbout ? Math.min(wantedLabel, Math.max(1, Math.floor(left * 0.6))) : left;
  const about = hasAbout ? left - label - GAP.length : 0;
  return about < MIN_ABOUT_WIDTH ? { label: left, about: 0, note } : { label, about, note };
}

type Row = Columns & { isSelected: boolean; theme: Theme };

function itemLine(item: PickItem, { label, about, note, isSelected, theme }: Row): string {
  const fit = (text: string | undefined, columns: number) => fitWidth(printable(text ?? ''), columns);
  const name = padWidth(fit(item.label, label), label);
  const end = fit(item.note, note);
  const cells = [
    isSelected ? theme.cyan(theme.bold(name)) : name,
    ...(about > 0 ? [theme.dim(padWidth(fit(item.about, about), about))] : []),
    ...(note > 0 ? [' '.repeat(note - textWidth(end)) + theme.dim(end)] : []),
  ];
  return (isSelected ? theme.cyan(MARKER) : ' '.repeat(MARKER.length)) + cells.join(GAP);
}

function endOf(text: string, columns: number): string {
  let shown = text;
  while (textWidth(shown) > columns) shown = shown.slice([...shown][0]?.length ?? 1);
  return shown;
}
