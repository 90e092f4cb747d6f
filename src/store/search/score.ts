import type { SearchTerm } from '../search-query.ts';
import { findTerm } from './find-term.ts';

export type Scored = { id: number; score: number };

/** What is known of a message when it is ranked. The text is folded, and may be only its beginning. */
export type Ranked = { id: number; role: string; timestamp: number; text: string };

const MAX_COUNTED = 20;
const DAY_SECONDS = 86_400;
const RECENCY_DAYS = 30;
const RECENCY_SHARE = 0.35;
const NEARNESS_SHARE = 0.5;
/** Output of tools is long and repeats itself; what people wrote is more often what they look for. */
const ROLE_WEIGHT: Readonly<Record<string, number>> = { user: 1.2, assistant: 1, tool: 0.7 };

/**
 * Best first. A term counts more the rarer it is among the messages, and less with every repetition; all terms close
 * together count extra, long texts count less, and what is recent counts up to a third more.
 */
export function rank(messages: readonly Ranked[], terms: readonly SearchTerm[]): Scored[] {
  const places = messages.map(({ text }) => terms.map((term) => findTerm(text, term, MAX_COUNTED)));
  const weights = terms.map((_, term) => {
    const holding = places.filter((found) => (found[term]?.length ?? 0) > 0).length;
    return Math.log(1 + (messages.length + 1) / (holding + 0.5));
  });
  const newest = messages.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  const scored = messages.map((message, index) => {
    const found = places[index] ?? [];
    const relevance = weights.reduce((sum, weight, term) => sum + weight * saturate(found[term]?.length ?? 0), 0);
    const starts = found.map((spans) => spans[0]?.start);
    const age = (newest - message.timestamp) / DAY_SECONDS / RECENCY_DAYS;
    const factors =
      (1 + NEARNESS_SHARE * nearness(starts)) *
      (1 + RECENCY_SHARE * Math.exp(-age)) *
      (ROLE_WEIGHT[message.role] ?? 1) *
      (1 / (1 + message.text.length / 8_000));
    // What the index found but we did not (an odd letter) comes last and is not lost.
    return { id: message.id, score: (relevance + 0.01) * factors };
  });
  return scored.sort((a, b) => b.score - a.score || b.id - a.id);
}

function saturate(count: number): number {
  return count / (count + 1.2);
}

/** From 0 to 1: how close together the first places of the terms are. */
function nearness(starts: readonly (number | undefined)[]): number {
  if (starts.length < 2) return 0;
  const known = starts.filter((start) => start !== undefined);
  if (known.length < starts.length) return 0;
  const spread = Math.max(...known) - Math.min(...known);
  return 1 / (1 + spread / (40 * starts.length));
}

// Nobody reads so many hits, and all of them are ranked at once.
const MAX_SHOWN = 5_000;

/** A limit or an offset, whatever was asked for. */
export function wholeNumber(value: number): number {
  return Math.min(Math.max(Math.trunc(value) || 0, 0), MAX_SHOWN);
}
