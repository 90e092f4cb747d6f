import type { Role } from '../theme.ts';

/** A piece of code with one style. */
export type CodeRun = { text: string; roles: readonly Role[] };

/**
 * The preceding lines that the highlighting of the next line depends on, because they opened a construct that is not
 * closed.
 */
export type ColourContext = {
  lines: readonly string[];
  /** The open modes after these lines, innermost first. They are only compared by identity. */
  open: readonly object[];
};

export const NO_CONTEXT: ColourContext = { lines: [], open: [] };

/** Highlights one line. Deterministic: the same line with the same context always gives the same result. */
export type CodeColour = (line: string, context: ColourContext) => { runs: CodeRun[]; context: ColourContext };

/** The syntax highlighter, which takes some milliseconds to load. */
export type CodeColours = {
  /** Loads the highlighter; called when a screen opens, long before the first answer. Until then code is plain. */
  prepare(): Promise<void>;
  /** Undefined for an unknown language, and until the highlighter is loaded. */
  of(language: string): CodeColour | undefined;
};

export function createCodeColours(): CodeColours {
  let find: ((language: string) => CodeColour | undefined) | undefined;
  return {
    async prepare() {
      const { createColourFinder } = await import('./colour-finder.ts');
      find ??= createColourFinder();
    },
    of: (language) => find?.(language),
  };
}

export function noCodeColours(): CodeColours {
  return { prepare: async () => undefined, of: () => undefined };
}
