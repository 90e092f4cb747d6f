import type { SearchTerm } from '../search-query.ts';
import { findTerm } from './find-term.ts';

export type Scored = { id: number; score: number };

/** A message to be ranked. Its text is folded and may be truncated. */
export type Ranked = { id: number; role: string; timestamp: number; text: string };

const MAX_COUNTED = 20;
const DAY_SECONDS = 86_400;
const RECENCY_DAYS = 30;
const RECENCY_SHARE = 0.35;
const NEARNESS_SHARE = 0.5;
/** Weights by role. Tool output is long and repetitive, and users more often look for what people wrote. */
export const ROLE_WEIGHT: Readonly<Record<string, number>> = { user: 1.2, assistant: 1, tool: 0.7 };

/**
 * Sorts by score, best first. A term counts more if it is rare among the messages, and less with each repetition.
 * Terms close together and recent messages get a bonus, long texts a malus.
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
    const factors =
      (1 + NEARNESS_SHARE * nearnessOfAll(starts)) *
      (1 + RECENCY_SHARE * recency(newest, message.timestamp)) *
      (ROLE_WEIGHT[message.role] ?? 1) *
      (1 / (1 + message.text.length / 8_000));
    // A match of the index that we could not confirm, for example because of an unusual letter, is ranked last but
    // not dropped.
    return { id: message.id, score: (relevance + 0.01) * factors };
  });
  return scored.sort((a, b) => b.score - a.score || b.id - a.id);
}

function saturate(count: number): number {
  return count / (count + 1.2);
}

function nearnessOfAll(starts: readonly (number | undefined)[]): number {
  const known = starts.filter((start) => start !== undefined);
  return known.length < starts.length ? 0 : nearness(known);
}

/** How close the first matches of several terms are to each other, from 0 to 1. */
export function nearness(starts: readonly number[]): number {
  if (starts.length < 2) return 0;
  const spread = Math.max(...starts) - Math.min(...starts);
  return 1 / (1 + spread / (40 * starts.length));
}

/** How recent a message is compared with the newest one, from 0 to 1; both in seconds. */
export function recency(newest: number, timestamp: number): number {
  return Math.exp(-(newest - timestamp) / DAY_SECONDS / RECENCY_DAYS);
}

// Upper limit for `limit` and `offset`, because all hits are ranked together.
const MAX_SHOWN = 5_000;

/** Clamps a limit or an offset to the valid range. */
export function clampCount(value: number): number {
  return Math.min(Math.max(Math.trunc(value) || 0, 0), MAX_SHOWN);
}
