import type { PickItem, PickRequest } from '../../slash/index.ts';
import type { Theme } from '../render/index.ts';
import { printable } from '../style.ts';
import { sanitizeInput } from '../terminal/sanitize-input.ts';
import type { CursorPosition } from './canvas.ts';
import { layOutPicker } from './picker-layout.ts';
import { filterItems } from './picker-search.ts';
import { decodeKittyPrintable, matchesKey } from './pi-tui.ts';

/** A list to select from with the arrow keys, which typing searches. */
export interface Picker {
  /** Returns false for a key that the picker does not use. */
  handleKey(data: string): boolean;
  /** Renders at most `rows` lines. */
  render(width: number, rows: number, theme: Theme): { lines: string[]; cursor: CursorPosition };
  /** Closes the picker without a selection. */
  cancel(): void;
}

type PickerOptions = {
  request: PickRequest;
  /** Items arrived without a key press. */
  onChange(): void;
  /** Called once, with the value of the selected item, or undefined if the user cancelled. */
  onEnd(chosen: string | undefined): void;
};

type State = {
  query: string;
  /** The items that match the query. */
  shown: readonly PickItem[];
  selected: number;
  /** The first visible item. */
  top: number;
  /** The number of visible items in the last frame. */
  page: number;
  /** Items or search results are still being loaded. */
  isLoading: boolean;
  /** The shown items are those of an earlier query. */
  isStale: boolean;
};

export function createPicker({ request, onChange, onEnd }: PickerOptions): Picker {
  let { items } = request;
  let isOpen = true;
  let searches = 0;
  const state: State = { query: '', shown: items, selected: 0, top: 0, page: 1, isLoading: false, isStale: false };
  const select = (value: string | undefined) => {
    state.selected = Math.max(0, value === undefined ? 0 : state.shown.findIndex((item) => item.value === value));
  };
  const end = (chosen: string | undefined) => {
    if (!isOpen) return;
    isOpen = false;
    onEnd(chosen);
  };

  /** Replaces the list and keeps the selection if the selected item is still there. */
  function show(found: readonly PickItem[], selected: string | undefined): void {
    state.shown = found;
    select(selected);
  }

  async function load(loading: Promise<readonly PickItem[]>, use: (found: readonly PickItem[]) => void): Promise<void> {
    searches += 1;
    const mine = searches;
    state.isLoading = true;
    const found = await loading.catch(() => undefined);
    // The user may have typed on, or closed the picker.
    if (!isOpen || mine !== searches) return;
    state.isLoading = false;
    if (found !== undefined) use(found);
    onChange();
  }

  function type(query: string): void {
    state.query = query;
    if (request.search === undefined || query.trim() === '') {
      if (request.search !== undefined) [searches, state.isLoading, state.isStale] = [searches + 1, false, false];
      return show(filterItems(items, query), query === '' ? request.current : undefined);
    }
    state.isStale = true;
    const found = request.search(query).catch(() => []);
    void load(found, (matches) => {
      state.isStale = false;
      show(matches, undefined);
    });
  }

  select(request.current);
  if (request.complete !== undefined)
    void load(request.complete, (found) => {
      const before = state.shown[state.selected]?.value;
      items = found;
      show(filterItems(items, state.query), before);
    });
  return {
    handleKey: (data) => handleKey(data, { state, type, end }),
    render: (width, rows, theme) => {
      const layout = layOutPicker({ request, ...state }, { width, rows, theme });
      [state.top, state.page] = [layout.top, layout.page];
      return { lines: layout.lines, cursor: layout.cursor };
    },
    cancel: () => end(undefined),
  };
}

type Actions = { state: State; type(query: string): void; end(chosen: string | undefined): void };
type Key = Parameters<typeof matchesKey>[1];

const MOVES: readonly (readonly [Key, (state: State) => number])[] = [
  ['up', () => -1],
  ['ctrl+p', () => -1],
  ['down', () => 1],
  ['ctrl+n', () => 1],
  ['pageUp', ({ page }) => -page],
  ['pageDown', ({ page }) => page],
  ['home', () => Number.NEGATIVE_INFINITY],
  ['end', () => Number.POSITIVE_INFINITY],
];

/** Keys of the screen itself: suspend and redraw. */
const SCREEN_KEYS: readonly Key[] = ['ctrl+z', 'ctrl+l'];

function handleKey(data: string, actions: Actions): boolean {
  const { state, type, end } = actions;
  const isOneOf = (...keys: Key[]) => keys.some((key) => matchesKey(data, key));
  if (isOneOf(...SCREEN_KEYS)) return false;
  const step = MOVES.find(([key]) => matchesKey(data, key))?.[1](state);
  if (step !== undefined) move(state, step);
  else if (isOneOf('enter', 'tab')) choose(state, end);
  // Esc clears a search first.
  else if (isOneOf('escape') && state.query !== '') type('');
  else if (isOneOf('escape', 'ctrl+c', 'ctrl+d')) end(undefined);
  else if (isOneOf('backspace')) type([...state.query].slice(0, -1).join(''));
  else if (isOneOf('ctrl+u')) type('');
  else if (isOneOf('ctrl+w')) type(state.query.replace(/\S*\s*$/, ''));
  else {
    const typed = readText(data);
    if (typed !== '') type(state.query + typed);
  }
  return true;
}

/** A single step continues at the other end of the list; a longer one stops there. */
function move(state: State, step: number): void {
  const last = state.shown.length - 1;
  const next = state.selected + step;
  if (last < 0) return;
  const wraps = Math.abs(step) === 1;
  state.selected = next < 0 ? (wraps ? last : 0) : next > last ? (wraps ? 0 : last) : next;
}

function choose({ shown, selected, isStale }: State, end: Actions['end']): void {
  if (isStale) return;
  const item = shown[selected];
  if (item !== undefined) end(item.value);
}

// oxlint-disable-next-line no-control-regex
const PASTED = /^\u001b\[200~([^]*)\u001b\[201~$/;

/** The typed or pasted text; empty for any other key. */
function readText(data: string): string {
  const text = decodeKittyPrintable(data) ?? PASTED.exec(data)?.[1] ?? data;
  const line = sanitizeInput(text).replace(/\s+/g, ' ');
  // Other keys are escape sequences or control characters.
  return text.includes('\u001b') || printable(line) !== line ? '' : line;
}
