import type { Token } from './tokens.ts';

const FEATURE_BITS = 20;
/** The number of different features; several share one if their hashes are equal. */
export const FEATURE_COUNT = 1 << FEATURE_BITS;
/** How far apart two meanings can be to count as an ordered pair, in tokens. */
const PAIR_DISTANCE = 5;

/** What a feature consists of, so that equal numbers of different kinds differ. */
export const KIND = {
  word: 1,
  pair: 2,
  gap: 3,
  meaning: 4,
  ordered: 5,
  before: 6,
  after: 7,
  both: 8,
  first: 9,
  begins: 10,
};

/** Collects the different features of a passage; they are valid until the next call. */
export type FeatureCollector = (tokens: readonly Token[]) => { features: Int32Array; count: number };

/**
 * The features of a passage are its words, pairs of words with at most one between, meanings, pairs of meanings close
 * together or anywhere in it, meanings next to a word, and how it begins. Each counts once. The training passes `kinds`
 * to learn the kind of each feature.
 */
export function createFeatureCollector(kinds?: Uint8Array): FeatureCollector {
  let features = new Int32Array(4096);
  let count = 0;
  const seenIn = new Uint32Array(FEATURE_COUNT);
  let passage = 0;
  const add = (kind: number, one: number, other: number) => {
    const feature = indexOf(kind, one, other);
    if (seenIn[feature] === passage) return;
    seenIn[feature] = passage;
    if (kinds !== undefined) kinds[feature] = kind;
    if (count === features.length) features = grow(features);
    features[count++] = feature;
  };
  return (tokens) => {
    count = 0;
    passage++;
    addWords(tokens, add);
    addMeanings(tokens, add);
    return { features, count };
  };
}

type Add = (kind: number, one: number, other: number) => void;

function addWords(tokens: readonly Token[], add: Add): void {
  for (let at = 0; at < tokens.length; at++) {
    const { stem } = tokens[at] as Token;
    add(KIND.word, stem, 0);
    const next = tokens[at + 1];
    const second = tokens[at + 2];
    const third = tokens[at + 3];
    if (next !== undefined) add(KIND.pair, stem, next.stem);
    if (second !== undefined) add(KIND.gap, stem, second.stem);
    if (third !== undefined) add(KIND.gap, stem, third.stem);
  }
  const [first] = tokens;
  if (first === undefined) return;
  add(KIND.first, first.stem, 0);
  for (const meaning of first.meanings) add(KIND.begins, meaning, 0);
}

function addMeanings(tokens: readonly Token[], add: Add): void {
  const all = new Set<number>();
  for (let at = 0; at < tokens.length; at++) {
    for (const meaning of (tokens[at] as Token).meanings) {
      all.add(meaning);
      add(KIND.meaning, meaning, 0);
      const [before, after] = [tokens[at - 1], tokens[at + 1]];
      if (before !== undefined) add(KIND.before, meaning, before.stem);
      if (after !== undefined) add(KIND.after, meaning, after.stem);
      for (let other = at + 1; other <= at + PAIR_DISTANCE && other < tokens.length; other++)
        for (const second of (tokens[other] as Token).meanings) add(KIND.ordered, meaning, second);
    }
  }
  const sorted = [...all].sort((one, other) => one - other);
  for (let one = 0; one < sorted.length; one++)
    for (let other = one + 1; other < sorted.length; other++)
      add(KIND.both, sorted[one] as number, sorted[other] as number);
}

function indexOf(kind: number, one: number, other: number): number {
  let value = Math.imul(one ^ Math.imul(other, 0x9e3779b1) ^ kind, 0x85ebca6b);
  value ^= value >>> 13;
  value = Math.imul(value, 0xc2b2ae35);
  return (value ^ (value >>> 16)) & (FEATURE_COUNT - 1);
}

function grow(features: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(features.length * 2);
  larger.set(features);
  return larger;
}
