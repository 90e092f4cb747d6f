/**
 * The kinds of text on the screen: a message of the user, prose of the model, activity (tool calls, reasoning and
 * notes of a turn), and output of Hermes itself. A blank line separates different kinds.
 */
export type TextKind = 'message' | 'prose' | 'activity' | 'output';

/** Separates what is printed with blank lines. */
export interface Rhythm {
  /** The lines that come before text of this kind: a blank one, or none. */
  before(kind: TextKind): string[];
  /** Returns the lines with what comes before them, and remembers that they were printed. */
  printed(kind: TextKind, lines: readonly string[]): readonly string[];
  /** Whether the printed text ends with a line that is not blank. */
  needsGap(): boolean;
}

export function createRhythm(): Rhythm {
  let last: TextKind | undefined;
  let endsBlank = true;
  const before = (kind: TextKind) => (endsBlank || (kind === last && kind !== 'message') ? [] : ['']);
  return {
    before,
    printed(kind, lines) {
      if (lines.length === 0) return lines;
      const gap = lines[0] === '' ? [] : before(kind);
      last = kind;
      endsBlank = lines.at(-1)?.trim() === '';
      return [...gap, ...lines];
    },
    needsGap: () => !endsBlank,
  };
}
