import type { FindingCategory, ScanScope } from './finding.ts';
import type { Pattern } from './pattern.ts';

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
