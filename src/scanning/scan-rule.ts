import type { FindingCategory, ScanScope } from './finding.ts';
import { fold } from './text/fold.ts';

/** What makes a sentence suspicious. Patterns see folded text: lower case, no accents, look-alikes made Latin. */
export type ScanRule = {
  name: string;
  category: FindingCategory;
  scope: ScanScope;
  /** Goes on after "it": `tells its reader to …`. */
  reason: string;
  /** `words` has no punctuation, `text` has all of it. */
  view: 'words' | 'text';
  /** Parts of words in groups divided by `&`: where a stretch lacks one of each group, the rule is not tried. */
  needs: string;
  pattern: Pattern;
  /** The pattern looks at where a sentence begins or ends. */
  anchored?: boolean;
  /** All of these are in the same sentence too. */
  also?: readonly Pattern[];
  /** How many characters before and after the pattern these are looked for; without it, in the whole sentence. */
  near?: { before: number; after: number };
  /** None of these is. */
  unless?: readonly Pattern[];
  /** How far it reaches: one sentence, or that and the next. */
  sentences?: 1 | 2;
};

/** A lazily compiled regular expression: most texts need only a few of them. */
type Pattern = { test(text: string): boolean; exec(text: string): RegExpExecArray | null };

/** For the `words` view: a space matches anything between two words. */
export function words(source: string): Pattern {
  return lazy(() => new RegExp(`(?<![^ ])(?:${spaced(source)})(?![^ ])`));
}

/** The same at the very end of a text. */
export function lastWords(source: string): Pattern {
  return lazy(() => new RegExp(`(?<![^ ])(?:${spaced(source)}) *$`));
}

/** For scripts that put no spaces between words. */
export function anywhere(source: string): Pattern {
  return lazy(() => new RegExp(fold(source).replaceAll(' ', ' *'), 'u'));
}

function spaced(source: string): string {
  return fold(source).replace(/ (\??)/g, (_, optional: string) => (optional === '' ? ' +' : ' *'));
}

function lazy(make: () => RegExp): Pattern {
  let made: RegExp | undefined;
  const expression = () => {
    made ??= make();
    return made;
  };
  return { test: (text) => expression().test(text), exec: (text) => expression().exec(text) };
}
