import { type AutocompleteProvider, decodeKittyPrintable, type Editor, matchesKey } from './pi-tui.ts';

export interface WatchedList {
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
export function watchList(editor: Editor): WatchedList {
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
