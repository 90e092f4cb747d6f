/** What a concept matches in a list of words. */
export type Phrases =
  | { list: string; matcher?: Matcher }
  | { anyOf: readonly Phrases[]; matcher?: Matcher }
  | { inOrder: readonly Phrases[]; gap: number; matcher?: Matcher };

/**
 * The positions after each match that begins at `at`, and undefined if there is none. Words from `limit` on are not
 * considered.
 */
type Matcher = (words: readonly string[], at: number, limit: number) => readonly number[] | undefined;

/** The first match in a part of a text, as positions of words; `end` is exclusive. */
export function findPhrase(
  phrases: Phrases,
  words: readonly string[],
  { start, end }: { start: number; end: number },
): { start: number; end: number } | undefined {
  const match = matcherOf(phrases);
  for (let at = start; at < end; at++) {
    const found = match(words, at, end)?.[0];
    if (found !== undefined) return { start: at, end: found };
  }
  return undefined;
}

/**
 * Matchers are built when they are needed, and once for concepts that several rules share. They are no regular
 * expressions, because compiling large ones takes longer than most scans.
 */
function matcherOf(phrases: Phrases): Matcher {
  phrases.matcher ??= buildMatcher(phrases);
  return phrases.matcher;
}

function buildMatcher(phrases: Phrases): Matcher {
  if ('list' in phrases) return matchList(phrases.list);
  if ('anyOf' in phrases) return matchAny(phrases.anyOf.map(matcherOf));
  return matchInOrder(phrases.inOrder.map(matcherOf), phrases.gap);
}

function matchAny(matchers: readonly Matcher[]): Matcher {
  return (words, at, limit) => {
    let all: number[] | undefined;
    for (const match of matchers) {
      const ends = match(words, at, limit);
      if (ends !== undefined) all = all === undefined ? [...ends] : [...all, ...ends];
    }
    return all;
  };
}

function matchInOrder([first, ...others]: readonly Matcher[], gap: number): Matcher {
  return (words, at, limit) => {
    let ends = first?.(words, at, limit);
    for (const match of others) {
      if (ends === undefined) return undefined;
      ends = matchAfter(match, ends, { words, limit, gap });
    }
    return ends;
  };
}

type Words = { words: readonly string[]; limit: number; gap: number };

function matchAfter(match: Matcher, ends: readonly number[], { words, limit, gap }: Words): number[] | undefined {
  let next: number[] | undefined;
  for (const end of ends) {
    const last = Math.min(end + gap, limit - 1);
    for (let from = end; from <= last; from++) {
      for (const found of match(words, from, limit) ?? []) {
        if (next === undefined) next = [found];
        else if (!next.includes(found)) next.push(found);
      }
    }
  }
  return next;
}

/** One word of a phrase, or a gap of up to four words. */
type Step = 'gap' | ((word: string) => boolean);

const GAP = 4;

function matchList(list: string): Matcher {
  const byFirst = new Map<string, Step[][]>();
  const others: Step[][] = [];
  for (const phrase of list.split('|')) {
    const [first = '', ...rest] = phrase.split(' ');
    const steps = rest.map(toStep);
    const spellings = plainSpellings(first);
    if (spellings === undefined) others.push([toStep(first), ...steps]);
    for (const word of spellings ?? []) {
      const known = byFirst.get(word);
      if (known === undefined) byFirst.set(word, [steps]);
      else known.push(steps);
    }
  }
  return (words, at, limit) => {
    if (at >= limit) return undefined;
    let ends: number[] | undefined;
    const add = (end: number) => {
      if (end >= 0) ends = ends === undefined ? [end] : [...ends, end];
    };
    for (const steps of byFirst.get(words[at] as string) ?? []) add(matchSteps(steps, { words, at: at + 1, limit }));
    for (const steps of others) add(matchSteps(steps, { words, at, limit }));
    return ends;
  };
}

/** The position after the steps, or -1. */
function matchSteps(
  steps: readonly Step[],
  from: { words: readonly string[]; at: number; limit: number },
  first = 0,
): number {
  const { words, limit } = from;
  let { at } = from;
  for (let index = first; index < steps.length; index++) {
    const step = steps[index] as Step;
    if (step === 'gap') {
      for (let skipped = 0; skipped <= GAP; skipped++) {
        const end = matchSteps(steps, { words, at: at + skipped, limit }, index + 1);
        if (end >= 0) return end;
      }
      return -1;
    }
    if (at >= limit || !step(words[at] as string)) return -1;
    at++;
  }
  return at;
}

function toStep(word: string): Step {
  if (word === '..') return 'gap';
  const spellings = plainSpellings(word);
  if (spellings !== undefined) return (other) => spellings.includes(other);
  const stem = /^([^*?[]+)\*$/.exec(word)?.[1];
  if (stem !== undefined) return (other) => other.startsWith(stem);
  let expression: RegExp | undefined;
  return (other) => {
    expression ??= new RegExp(`^(?:${word.replaceAll('*', '.*')})$`);
    return expression.test(other);
  };
}

/** A word without special characters, or both spellings of a word with an optional last letter. */
function plainSpellings(word: string): string[] | undefined {
  if (!/[*?[+(]/.test(word)) return [word];
  const optional = /^([^*?[+(]+)\?$/.exec(word)?.[1];
  return optional === undefined ? undefined : [optional, optional.slice(0, -1)];
}
