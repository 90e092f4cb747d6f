import type { Sections } from './sections.ts';

/** What does not become wrong because time passes; a replaced value is to be named beside the new one. */
const FACT_HEADINGS = ['Constraints', 'Decisions', 'Files', 'Values'] as const;
const SHINGLE = 4;
/** A line counts as still told where so much of it can be found again, in whatever order and words around it. */
const TOLD_SHARE = 0.4;
/** Lines that are carried on may take so much of the summary; the newest of them win. */
const MOST_SHARE = 0.25;

/** Puts facts back that an update of a summary left out, so that the tenth one still has what the first one had. */
export function keepFacts(
  former: Sections,
  newer: Sections,
  limit: number,
  tokensOf: (text: string) => number,
): Sections {
  const told = shinglesOf([...newer.values()].flat().join('\n'));
  const kept = new Map([...newer].map(([heading, lines]) => [heading, [...lines]]));
  let room = limit * MOST_SHARE;
  for (const heading of FACT_HEADINGS) {
    for (const line of (former.get(heading) ?? []).toReversed()) {
      const cost = tokensOf(line);
      if (cost > room || isTold(line, told)) continue;
      room -= cost;
      kept.set(heading, [line, ...(kept.get(heading) ?? [])]);
    }
  }
  return kept;
}

function isTold(line: string, told: ReadonlySet<string>): boolean {
  const parts = [...shinglesOf(line)];
  return parts.filter((part) => told.has(part)).length >= parts.length * TOLD_SHARE;
}

/** Short runs of letters and digits, so that scripts without blanks between words are compared as well. */
function shinglesOf(text: string): Set<string> {
  const dense = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const found = new Set<string>();
  for (let start = 0; start + SHINGLE <= dense.length; start += 1) found.add(dense.slice(start, start + SHINGLE));
  return found;
}
