import { FAMILIES } from '../families.ts';
import { createFeatureCollector, FEATURE_COUNT } from './features.ts';
import { isForeign, MEANINGS, type Token } from './tokens.ts';
import { BIAS, FAMILY_WEIGHTS, FOREIGN_BONUS, PAIR_PENALTY, STEP, THRESHOLD, WEIGHTS } from './weights.ts';

/** Passages with fewer tokens say too little. */
export const MIN_TOKENS = 3;
/** Added to the number of features, so that a few features of a short passage do not decide alone. */
const SMOOTHING = 10;
/** The family depends on the meanings and pairs of meanings of a passage. */
export const FAMILY_FEATURES = MEANINGS.length * MEANINGS.length;
/** The digits of distances and weights in the generated file; the weight in the middle is zero. */
export const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+';
/** Adds the size of the alphabet to a distance. */
export const SKIP = '-';
const ZERO = (ALPHABET.length - 1) / 2;

/** How strongly a passage resembles an attack, and which family of attacks it resembles most. */
export type Classifier = {
  /** Positive if it is a finding. A passage of two sentences needs a higher score than a single one. */
  score(tokens: readonly Token[], sentences: number): number;
  familyOf(tokens: readonly Token[]): string;
};

export function createClassifier(): Classifier {
  const weights = decodeWeights(WEIGHTS, FEATURE_COUNT);
  const familyWeights = decodeWeights(FAMILY_WEIGHTS, FAMILY_FEATURES * FAMILIES.length);
  const collect = createFeatureCollector();
  return {
    score(tokens, sentences) {
      if (tokens.length < MIN_TOKENS) return Number.NEGATIVE_INFINITY;
      const { features, count } = collect(tokens);
      let sum = 0;
      for (let at = 0; at < count; at++) sum += weights[features[at] as number] as number;
      const threshold = THRESHOLD + (sentences > 1 ? PAIR_PENALTY : 0) - (isForeign(tokens) ? FOREIGN_BONUS : 0);
      return sum * STEP * scaleOf(count) + BIAS - threshold;
    },
    familyOf(tokens) {
      const features = familyFeaturesOf(tokens);
      const sums = FAMILIES.map((_, family) =>
        features.reduce((sum, feature) => sum + (familyWeights[family * FAMILY_FEATURES + feature] as number), 0),
      );
      return FAMILIES[sums.indexOf(Math.max(...sums))] as string;
    },
  };
}

export function scaleOf(count: number): number {
  return 1 / Math.sqrt(count + SMOOTHING);
}

export function familyFeaturesOf(tokens: readonly Token[]): number[] {
  const meanings = [...new Set(tokens.flatMap((token) => token.meanings))].sort((one, other) => one - other);
  return meanings.flatMap((one, at) => meanings.slice(at).map((other) => one * MEANINGS.length + other));
}

/** The generated weights are pairs of characters: the distance from the weight before, and the weight. */
function decodeWeights(text: string, length: number): Int8Array {
  const digits = new Int8Array(128);
  for (let at = 0; at < ALPHABET.length; at++) digits[ALPHABET.charCodeAt(at)] = at;
  const weights = new Int8Array(length);
  let index = -1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === SKIP) {
      index += ALPHABET.length;
      continue;
    }
    index += digits[text.charCodeAt(at++)] as number;
    weights[index] = (digits[text.charCodeAt(at)] as number) - ZERO;
  }
  return weights;
}
