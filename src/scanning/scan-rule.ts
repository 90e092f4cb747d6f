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
  /** Parts of words, divided by spaces: where a text has none of them, the rule cannot find anything and is not tried. */
  needs: string;
  pattern: RegExp;
  /** All of these are in the same sentence too. */
  also?: readonly RegExp[];
  /** None of these is. */
  unless?: readonly RegExp[];
  /** How far it reaches: one sentence, or that and the next. */
  sentences?: 1 | 2;
  /** Text that only quotes or describes it is a finding as well. */
  evenMentioned?: boolean;
};

/** In a pattern of words, a space stands for whatever is between two words. */
export function words(source: string): RegExp {
  const spaced = fold(source).replace(/ (\??)/g, (_, optional: string) => (optional === '' ? ' +' : ' *'));
  return new RegExp(`(?<![^ ])(?:${spaced})(?![^ ])`);
}

/** For scripts that put no spaces between words. */
export function anywhere(source: string): RegExp {
  return new RegExp(fold(source).replaceAll(' ', ' *'), 'u');
}
