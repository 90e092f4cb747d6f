import type { SearchTerm } from '../search-query.ts';
import { findTerm } from './find-term.ts';
import { nearness, type Ranked, recency, ROLE_WEIGHT, type Scored } from './score.ts';

type WeighedTerm = { term: SearchTerm; weight: number };

const MAX_COUNTED = 20;
/** The parameters of BM25: how soon repetitions stop to count, and how much long texts lose. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.5;
/** Another form of a word counts a little less than the word itself. */
const FORM_COUNT = 0.8;
const NEARNESS_SHARE = 0.3;
const RECENCY_SHARE = 0.1;
/** Messages with less of the weight of the best one have hardly anything to do with the query. */
const SHARE_OF_BEST = 0.15;

/**
 * Ranks by BM25, and drops messages whose words have less than `leastShare` of the weight of all words. Messages that
 * contain more different words come first, a rare word counts more than a common one.
 */
export function rankNearest(messages: readonly Ranked[], terms: readonly WeighedTerm[], leastShare: number): Scored[] {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const averageLength = messages.reduce((sum, { text }) => sum + text.length, 0) / Math.max(messages.length, 1);
  const newest = messages.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  const ranked = messages.map((message) => {
    const matches = terms.map(({ term }) => matchesIn(message.text, term));
    const length = 1 - LENGTH_SHARE + LENGTH_SHARE * (message.text.length / averageLength);
    const sum = (value: (count: number, weight: number) => number) =>
      matches.reduce((all, { count }, index) => all + (count === 0 ? 0 : value(count, terms[index]?.weight ?? 0)), 0);
    const matched = sum((_, weight) => weight) / total;
    const relevance = sum((count, weight) => (weight * count * (SATURATION + 1)) / (count + SATURATION * length));
    const starts = matches.flatMap(({ start }) => start ?? []);
    const factors =
      (0.4 + 0.6 * matched) *
      (1 + NEARNESS_SHARE * nearness(starts)) *
      (1 + RECENCY_SHARE * recency(newest, message.timestamp)) *
      (ROLE_WEIGHT[message.role] ?? 1);
    return { id: message.id, score: relevance * factors, matched };
  });
  const most = ranked.reduce((best, { matched }) => Math.max(best, matched), 0);
  return ranked
    .filter(({ score, matched }) => score > 0 && matched >= Math.max(leastShare, SHARE_OF_BEST * most))
    .sort((a, b) => b.score - a.score || b.id - a.id);
}

function matchesIn(text: string, term: SearchTerm): { count: number; start: number | undefined } {
  const spans = findTerm(text, term, MAX_COUNTED);
  const count = spans.reduce((sum, { start, end }) => sum + (isItself(text, start, end, term) ? 1 : FORM_COUNT), 0);
  return { count, start: spans[0]?.start };
}

function isItself(text: string, start: number, end: number, { forms }: SearchTerm): boolean {
  return forms === undefined || (end - start === forms.of.length && text.startsWith(forms.of, start));
}
