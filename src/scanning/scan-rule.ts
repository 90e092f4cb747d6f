import type { FindingCategory, ScanScope } from './finding.ts';
import type { Phrases } from './phrase-matcher.ts';
import { fold } from './text/fold.ts';

/**
 * A rule that matches suspicious sentences. Patterns match folded text: lower case, no accents, look-alikes as Latin
 * letters.
 */
export type ScanRule = {
  name: string;
  category: FindingCategory;
  scope: ScanScope;
  /** Continues a sentence after "it": `tells the model to …`. */
  reason: string;
  /** `words` has no punctuation, `prose` no addresses either, and `text` has both. */
  view: 'words' | 'prose' | 'text';
  /**
   * Groups of substrings, separated by `&`. The rule is skipped for segments that do not contain at least one
   * substring of each group.
   */
  requiredParts: string;
  /**
   * The same for whole words: of each list at least one alternative, of which each group has a word in the segment. `*`
   * at the end of a word matches any ending.
   */
  requiredWords?: readonly (readonly (readonly string[])[])[];
  /** What makes a sentence suspicious: an expression, or several phrases together. */
  pattern: Pattern | Combination;
  /** The pattern depends on the start or end of a sentence. */
  anchored?: boolean;
  /** Patterns that must all match in the same sentence. */
  requires?: readonly Pattern[];
  /** The characters before and after the match in which `requires` is searched; by default the whole sentence. */
  requiresWithin?: { before: number; after: number } | undefined;
  /** Patterns that must not match. */
  unless?: readonly Pattern[];
  /** A further condition on the sentence, for what an expression cannot say. */
  accept?: (said: string) => boolean;
  /**
   * Which words around an example excuse it: by default all words of texts about attacks, tests and examples, with
   * `attack` only those about attacks. Commands stand in code anyway, so for them an example is no excuse.
   */
  mention?: 'attack';
  /** The scope of a match: one sentence, or two consecutive ones. */
  sentences?: 1 | 2;
};

/** Phrases that all occur in a sentence, and phrases of which none does. The finding shows the first one. */
export type Combination = {
  all: readonly Phrases[];
  none: readonly Phrases[];
  /** The largest distance of the others from the first one, in characters. */
  within: number | undefined;
};

/** A lazily compiled regular expression: most texts need only a few of them. */
type Pattern = { test(text: string): boolean; exec(text: string): RegExpExecArray | null };

/** For the `words` view: a space matches anything between two words. */
export function words(source: string): Pattern {
  return lazy(() => new RegExp(`(?<![^ ])(?:${spaced(source)})(?![^ ])`));
}

/** Like `words`, but anchored at the end of a text. */
export function lastWords(source: string): Pattern {
  return lazy(() => new RegExp(`(?<![^ ])(?:${spaced(source)}) *$`));
}

/** For scripts without spaces between words. */
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
