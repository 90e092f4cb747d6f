import type { Role } from '../theme.ts';

/** A piece of code with one style. */
export type CodeRun = { text: string; roles: readonly Role[] };

/**
 * The preceding lines that the highlighting of the next line depends on, because they opened a construct that is not
 * closed.
 */
export type HighlightContext = {
  lines: readonly string[];
  /** The open modes after these lines, innermost first. They are only compared by identity. */
  open: readonly object[];
};

export const NO_CONTEXT: HighlightContext = { lines: [], open: [] };

/** Highlights one line. Deterministic: the same line with the same context always gives the same result. */
export type HighlightLine = (line: string, context: HighlightContext) => { runs: CodeRun[]; context: HighlightContext };

/** The syntax highlighter, which takes some milliseconds to load. */
export type Highlighter = {
  /** Loads the highlighter; called when a screen opens, long before the first answer. Until then code is plain. */
  prepare(): Promise<void>;
  /** Undefined for an unknown language, and until the highlighter is loaded. */
  of(language: string): HighlightLine | undefined;
};

export function createHighlighter(): Highlighter {
  let find: ((language: string) => HighlightLine | undefined) | undefined;
  return {
    async prepare() {
      const { createLanguageFinder } = await import('./load-highlighter.ts');
      find ??= createLanguageFinder();
    },
    of: (language) => find?.(language),
  };
}

export function plainHighlighter(): Highlighter {
  return { prepare: async () => undefined, of: () => undefined };
}
