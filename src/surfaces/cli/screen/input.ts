import type { Theme } from '../render/index.ts';
import { sanitizeInput, stripC1Controls } from '../terminal/sanitize-input.ts';
import type { CursorPosition } from './canvas.ts';
import {
  type AutocompleteProvider,
  CURSOR_MARKER,
  decodeKittyPrintable,
  Editor,
  matchesKey,
  type TUI,
} from './pi-tui.ts';
import { lineWidth } from './width.ts';

/** The input field: several lines, with history, completion, and large pastes collapsed to a token. */
export interface Input {
  handleKey(data: string): void;
  /** The typed text, with pastes as tokens. */
  text(): string;
  /** The typed text, with pastes expanded. */
  expandedText(): string;
  setText(text: string): void;
  isCompleting(): boolean;
  addHistory(lines: readonly string[]): void;
  setCompletion(provider: AutocompleteProvider): void;
  render(width: number, label: string): { lines: string[]; cursor: CursorPosition };
}

type InputOptions = {
  theme(): Theme;
  rows(): number;
  /** Called when something changed without a key press, for example when completions arrive. */
  onChange(): void;
  onSubmit(text: string): void;
};

/** The editor reserves one column after the text for the cursor. */
const CURSOR_COLUMNS = 1;
/** The share of the window that a completion list takes. The editor limits it to 3 to 20 rows. */
const COMPLETION_SHARE = 0.4;
const NARROW_TEXT = /^[\n -~\u00a1-\u02ff]*$/;

// oxlint-disable-next-line no-control-regex
const FAKE_CURSOR = /\u001b\[7m(.*?)\u001b\[0m/su;
/**
 * Marks the border lines of the editor, so that typed text that looks like a border is not mistaken for one. It
 * cannot be typed.
 */
const BORDER_MARK = '\u0000';

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
  // The editor uses only `requestRender` and the height of the terminal.
  const editor = new Editor(host as unknown as TUI, editorTheme(options.theme));
  editor.focused = true;
  editor.onSubmit = onSubmit;
  const list = createCompletionList(editor);
  return {
    handleKey(data) {
      editor.setAutocompleteMaxVisible(Math.floor(options.rows() * COMPLETION_SHARE));
      list.handleKey(stripC1Controls(data));
    },
    text: () => editor.getText(),
    expandedText: () => editor.getExpandedText(),
    setText: (text) => editor.setText(sanitizeInput(text)),
    isCompleting: () => editor.isShowingAutocomplete(),
    addHistory(lines) {
      for (const line of lines) editor.addToHistory(sanitizeInput(line));
    },
    setCompletion: list.use,
    render(width, label) {
      const room = Math.max(width - lineWidth(label), widestCharacter(editor.getText()) + CURSOR_COLUMNS);
      return layOut(editor.render(room), label);
    },
  };
}

/**
 * Returns the width of the widest character. The editor cannot wrap a character that does not fit, so it gets enough
 * columns and the line is cut later.
 */
function widestCharacter(text: string): number {
  if (NARROW_TEXT.test(text)) return 1;
  let widest = 2;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    // Most characters have one or two columns; only long grapheme clusters can be wider.
    if (segment.length > 2) widest = Math.max(widest, lineWidth(segment));
  }
  return widest;
}

/**
 * Removes the border of the editor, except where it says that there are more lines, and puts the label in front of
 * the text.
 */
function layOut(rendered: readonly string[], label: string): { lines: string[]; cursor: CursorPosition } {
  const bottom = rendered.findIndex((line, index) => index > 0 && line.startsWith(BORDER_MARK));
  const [top = '', ...rest] = rendered;
  const text = rest.slice(0, bottom - 1);
  const indent = ' '.repeat(lineWidth(label));
  const lines = text.map((line, index) => (index === 0 ? label : indent) + line);
  const row = lines.findIndex((line) => line.includes(CURSOR_MARKER));
  const location = lines[row] ?? label;
  const column = lineWidth(location.slice(0, Math.max(0, location.indexOf(CURSOR_MARKER))));
  const shown = lines.map((line) => line.replace(CURSOR_MARKER, '').replace(FAKE_CURSOR, '$1').trimEnd());
  if (row < 0) return { lines: [label], cursor: { row: 0, column: lineWidth(label) } };
  const [above, below] = [hiddenLinesNote(top), hiddenLinesNote(rendered[bottom] ?? '')];
  const list = rendered.slice(bottom + 1).map((line) => line.trimEnd());
  return { lines: [...above, ...shown, ...below, ...list], cursor: { row: row + above.length, column } };
}

/** Returns a border line that says how many lines are hidden. */
function hiddenLinesNote(frame: string): string[] {
  return /[↑↓]/.test(frame) ? [frame.replace(BORDER_MARK, '')] : [];
}

function editorTheme(theme: () => Theme) {
  const dim = (text: string) => theme().dim(text);
  return {
    borderColor: (text: string) => BORDER_MARK + dim(text),
    selectList: {
      selectedPrefix: (text: string) => theme().cyan(text),
      selectedText: (text: string) => theme().cyan(text),
      description: dim,
      scrollInfo: dim,
      noMatch: dim,
    },
  };
}

interface CompletionList {
  handleKey(data: string): void;
  use(provider: AutocompleteProvider): void;
}

const CLOSE_KEY = '\u001b';
const ACCEPT_KEYS = ['enter', 'tab'] as const;
const SELECTION_KEYS = ['up', 'down'] as const;
/** After these keys, as after letters, the editor itself asks for completions again and updates the list. */
const REQUERY_KEYS = ['backspace', 'delete'] as const;

/**
 * Closes an outdated completion list. The editor keeps the list open after keys that remove the completed text, and
 * would let Enter select an item of the old list before the new one arrives. The list also closes when Enter sends a
 * slash command: Enter sends what was typed, unless the user selected an item with the arrow keys.
 */
function createCompletionList(editor: Editor): CompletionList {
  let offeredFor: string | undefined;
  let selected = false;
  const typed = () => editorState(editor.getLines(), editor.getCursor());
  const close = () => editor.isShowingAutocomplete() && editor.handleInput(CLOSE_KEY);
  const closeOld = () => typed() !== offeredFor && close();
  const isKey = (data: string, keys: readonly Parameters<typeof matchesKey>[1][]) =>
    keys.some((key) => matchesKey(data, key));
  return {
    handleKey(data) {
      if (isKey(data, ACCEPT_KEYS)) closeOld();
      if (matchesKey(data, 'enter') && !selected && isCommandName(editor.getText())) close();
      selected = editor.isShowingAutocomplete() && isKey(data, SELECTION_KEYS);
      const before = editor.getText();
      editor.handleInput(data);
      if (!triggersRequery(data) && editor.getText() !== before) closeOld();
    },
    use: (provider) =>
      editor.setAutocompleteProvider({
        ...provider,
        async getSuggestions(lines, line, col, options) {
          const asked = editorState(lines, { line, col });
          const found = await provider.getSuggestions(lines, line, col, options);
          if (found !== null && !options.signal.aborted) offeredFor = asked;
          return found;
        },
      }),
  };
}

/** Whether the text is a slash command whose name is still being typed. */
function isCommandName(text: string): boolean {
  return /^\s*\/[^\s/]*$/.test(text);
}

function editorState(lines: readonly string[], { line, col }: { line: number; col: number }): string {
  return JSON.stringify([lines, line, col]);
}

function triggersRequery(data: string): boolean {
  const isLetter = data >= ' ' || decodeKittyPrintable(data) !== undefined;
  return isLetter || REQUERY_KEYS.some((key) => matchesKey(data, key));
}
