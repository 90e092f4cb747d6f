import type { Theme } from '../render/index.ts';
import { typable, withoutLateControls } from '../terminal/typable.ts';
import type { CursorPlace } from './canvas.ts';
import {
  type AutocompleteProvider,
  CURSOR_MARKER,
  decodeKittyPrintable,
  Editor,
  matchesKey,
  type TUI,
} from './pi-tui.ts';
import { lineWidth } from './width.ts';

/** Where the person types: several lines, with history, completion, and large pastes folded to a token. */
export interface Input {
  handleKey(data: string): void;
  /** What is typed, with pastes as their tokens. */
  text(): string;
  /** The same with pastes unfolded. */
  whole(): string;
  setText(text: string): void;
  isCompleting(): boolean;
  addHistory(lines: readonly string[]): void;
  setCompletion(provider: AutocompleteProvider): void;
  render(width: number, label: string): { lines: string[]; cursor: CursorPlace };
}

type InputOptions = {
  theme(): Theme;
  rows(): number;
  /** Something changed that nobody typed, such as completions that have come. */
  onChange(): void;
  onSubmit(text: string): void;
};

/** The editor keeps one column for the cursor behind the text. */
const CURSOR_COLUMNS = 1;
const NARROW_TEXT = /^[\n -~\u00a1-\u02ff]*$/;

// oxlint-disable-next-line no-control-regex
const FAKE_CURSOR = /\u001b\[7m(.*?)\u001b\[0m/su;
/** Before each frame of the editor, so that a line somebody has drawn is not taken for one. Nobody can type it. */
const FRAME = '\u0000';

export function createInput(options: InputOptions): Input {
  const { onChange, onSubmit } = options;
  const host = {
    requestRender: onChange,
    terminal: {
      get rows() {
        return options.rows();
      },
    },
  };
  // All that the editor asks of its host is to be drawn, and how high the terminal is.
  const editor = new Editor(host as unknown as TUI, editorTheme(options.theme));
  editor.focused = true;
  editor.onSubmit = onSubmit;
  const list = watchList(editor);
  return {
    handleKey: (data) => list.handleKey(withoutLateControls(data)),
    text: () => editor.getText(),
    whole: () => editor.getExpandedText(),
    setText: (text) => editor.setText(typable(text)),
    isCompleting: () => editor.isShowingAutocomplete(),
    addHistory(lines) {
      for (const line of lines) editor.addToHistory(typable(line));
    },
    setCompletion: list.use,
    render(width, label) {
      const room = Math.max(width - lineWidth(label), widestOf(editor.getText()) + CURSOR_COLUMNS);
      return layOut(editor.render(room), label);
    },
  };
}

/** The columns of the widest character. The editor cannot wrap one that does not fit; what is too wide is cut later. */
function widestOf(text: string): number {
  if (NARROW_TEXT.test(text)) return 1;
  let widest = 2;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    // Most are of one or two columns; only long clusters can be wider.
    if (segment.length > 2) widest = Math.max(widest, lineWidth(segment));
  }
  return widest;
}

/** The editor's own frame goes, except where it says that there is more; the label takes the place of a frame. */
function layOut(rendered: readonly string[], label: string): { lines: string[]; cursor: CursorPlace } {
  const bottom = rendered.findIndex((line, index) => index > 0 && line.startsWith(FRAME));
  const [top = '', ...rest] = rendered;
  const text = rest.slice(0, bottom - 1);
  const indent = ' '.repeat(lineWidth(label));
  const lines = text.map((line, index) => (index === 0 ? label : indent) + line);
  const row = lines.findIndex((line) => line.includes(CURSOR_MARKER));
  const place = lines[row] ?? label;
  const column = lineWidth(place.slice(0, Math.max(0, place.indexOf(CURSOR_MARKER))));
  const shown = lines.map((line) => line.replace(CURSOR_MARKER, '').replace(FAKE_CURSOR, '$1').trimEnd());
  if (row < 0) return { lines: [label], cursor: { row: 0, column: lineWidth(label) } };
  const [above, below] = [hidden(top), hidden(rendered[bottom] ?? '')];
  const list = rendered.slice(bottom + 1).map((line) => line.trimEnd());
  return { lines: [...above, ...shown, ...below, ...list], cursor: { row: row + above.length, column } };
}

/** A frame that says how many lines are out of sight. */
function hidden(frame: string): string[] {
  return /[↑↓]/.test(frame) ? [frame.replace(FRAME, '')] : [];
}

function editorTheme(theme: () => Theme) {
  const dim = (text: string) => theme().dim(text);
  return {
    borderColor: (text: string) => FRAME + dim(text),
    selectList: {
      selectedPrefix: (text: string) => theme().cyan(text),
      selectedText: (text: string) => theme().cyan(text),
      description: dim,
      scrollInfo: dim,
      noMatch: dim,
    },
  };
}

interface WatchedList {
  handleKey(data: string): void;
  use(provider: AutocompleteProvider): void;
}

const CLOSE = '\u001b';
const CHOOSES = ['enter', 'tab'] as const;
/** After these the editor asks anew by itself, and as after letters the list changes in its place. */
const ASKS_ANEW = ['backspace', 'delete'] as const;

/**
 * The list of completions of an editor, which stays open where a key took away what it was for, and which takes an Enter
 * that comes before the next list is there. So it is closed where it is not for what stands there.
 */
function watchList(editor: Editor): WatchedList {
  let offeredFor: string | undefined;
  const typed = () => written(editor.getLines(), editor.getCursor());
  const closeOld = () => {
    if (editor.isShowingAutocomplete() && typed() !== offeredFor) editor.handleInput(CLOSE);
  };
  return {
    handleKey(data) {
      if (CHOOSES.some((key) => matchesKey(data, key))) closeOld();
      const before = editor.getText();
      editor.handleInput(data);
      if (!asksAnew(data) && editor.getText() !== before) closeOld();
    },
    use: (provider) =>
      editor.setAutocompleteProvider({
        ...provider,
        async getSuggestions(lines, line, col, options) {
          const asked = written(lines, { line, col });
          const found = await provider.getSuggestions(lines, line, col, options);
          if (found !== null && !options.signal.aborted) offeredFor = asked;
          return found;
        },
      }),
  };
}

function written(lines: readonly string[], { line, col }: { line: number; col: number }): string {
  return JSON.stringify([lines, line, col]);
}

function asksAnew(data: string): boolean {
  const isLetter = data >= ' ' || decodeKittyPrintable(data) !== undefined;
  return isLetter || ASKS_ANEW.some((key) => matchesKey(data, key));
}
