import type { Phrases } from './phrase-matcher.ts';
import type { ScanRule } from './scan-rule.ts';

/**
 * Words and phrases with one meaning, for rules that combine meanings instead of matching sentences. `phrases` matches
 * them in the `prose` view. `needs` says which words a sentence must contain for that: one word of each group of at
 * least one alternative.
 */
export type Concept = { phrases: Phrases; needs: readonly (readonly string[])[] };

/**
 * Alternatives separated by `|`, without punctuation. `*` at the end of a word matches any ending, `?` makes the letter
 * before it optional, `[sz]` is one of two letters, and ` .. ` matches up to four words.
 */
export function concept(list: string): Concept {
  const phrases = list.split('|').map((phrase) => phrase.trim().replace(/\s+/g, ' '));
  const needed = [...new Set(phrases.flatMap(neededWords))].join(' ');
  return { phrases: { list: phrases.join('|') }, needs: [[needed]] };
}

/** The alternatives of several concepts. */
export function anyOf(...concepts: readonly Concept[]): Concept {
  const alternatives = concepts.flatMap(({ needs }) => needs);
  // Alternatives with one group each are one group together.
  const single = alternatives
    .filter((groups) => groups.length === 1)
    .flatMap(([group]) => (group as string).split(' '));
  const others = alternatives.filter((groups) => groups.length > 1);
  return {
    phrases: { anyOf: concepts.map(({ phrases }) => phrases) },
    needs: single.length === 0 ? others : [[[...new Set(single)].join(' ')], ...others],
  };
}

/** One concept after another, with at most `gap` words between them. */
export function inOrder(gap: number, ...concepts: readonly Concept[]): Concept {
  return {
    phrases: { inOrder: concepts.map(({ phrases }) => phrases), gap },
    needs: concepts.map(({ needs }) => needs).reduce(combine, [[]]),
  };
}

type Needs = Concept['needs'];

function combine(one: Needs, other: Needs): Needs {
  return one.flatMap((groups) => other.map((more) => [...groups, ...more]));
}

/** The spellings of the longest word of a phrase; the rarest word is usually among the longest. */
function neededWords(phrase: string): string[] {
  const spellings = phrase.split(' ').map(spellingsOf);
  return spellings.reduce((one, other) => ((other[0] ?? '').length > (one[0] ?? '').length ? other : one));
}

function spellingsOf(word: string): string[] {
  const optional = /^([^*?[(\\.]+)\?$/.exec(word)?.[1];
  if (optional !== undefined) return [optional, optional.slice(0, -1)];
  const literal = /^[^*?[(\\.]*/.exec(word)?.[0] ?? '';
  if (literal.length === word.length) return [literal];
  // The letter before a question mark is optional.
  const stem = word[literal.length] === '?' ? literal.slice(0, -1) : literal;
  return [`${stem}*`];
}

type ConceptRuleOptions = Pick<ScanRule, 'name' | 'category' | 'reason'> & {
  /** All of them occur in a sentence, in any order; the first one is what the finding shows. */
  all: readonly Concept[];
  /** None of them occurs in the sentence. */
  none?: readonly Concept[];
  /** The largest distance of the others from the first one, in characters. */
  within?: number;
  scope?: ScanRule['scope'];
  sentences?: 1 | 2;
};

/** A rule about sentences in which several concepts occur together. */
export function conceptRule(options: ConceptRuleOptions): ScanRule {
  const { name, category, reason, within, scope = 'context', sentences = 1, none = [] } = options;
  const phrasesOf = (concepts: readonly Concept[]) => concepts.map(({ phrases }) => phrases);
  return {
    name,
    category,
    scope,
    reason,
    view: 'prose',
    requiredParts: '',
    requiredWords: options.all.map(({ needs }) => needs),
    pattern: { all: phrasesOf(options.all), none: phrasesOf(none), within },
    sentences,
    mention: 'attack',
  };
}
