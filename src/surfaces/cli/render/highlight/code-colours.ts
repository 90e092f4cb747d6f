import type { Role } from '../theme.ts';

/** A piece of code that looks the same throughout. */
export type CodeRun = { text: string; roles: readonly Role[] };

/** The lines before that the colours of the next one depend on, because they opened what is not closed. */
export type ColourContext = {
  lines: readonly string[];
  /** What is open behind them, from the innermost outwards; the things themselves mean nothing here. */
  open: readonly object[];
};

export const NO_CONTEXT: ColourContext = { lines: [], open: [] };

/** Colours one line. The same line after the same context always looks the same. */
export type CodeColour = (line: string, context: ColourContext) => { runs: CodeRun[]; context: ColourContext };

/** The colours of code, which take some milliseconds to load. */
export type CodeColours = {
  /** Loads them; done when a screen opens, long before an answer comes. What is drawn before is plain. */
  prepare(): Promise<void>;
  /** Undefined for a language that is not known, and while nothing is loaded. */
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
