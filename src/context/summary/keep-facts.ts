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
  const text = [...newer.values()].flat().join('\n');
  const told = { parts: shinglesOf(text), values: new Set(valuesOf(text)) };
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

type Told = { parts: ReadonlySet<string>; values: ReadonlySet<string> };

/** Words may change; a figure or a path that is not there any more is a fact less. */
function isTold(line: string, told: Told): boolean {
  const parts = [...shinglesOf(line)];
  const found = parts.filter((part) => told.parts.has(part)).length;
  return found >= parts.length * TOLD_SHARE && valuesOf(line).every((value) => told.values.has(value));
}

/** What is exact in a text: figures, versions, paths, addresses. */
function valuesOf(text: string): string[] {
  const words = text.split(/[\s,;()[\]{}"'`=]+/).map((word) => word.replace(/^[.:]+|[.:!?]+$/g, ''));
  return words.filter((word) => word.length > 2 && /\d|[^/]\/[^/]|\w\.\w/.test(word));
}

/** Short runs of letters and digits, so that scripts without blanks between words are compared as well. */
function shinglesOf(text: string): Set<string> {
  const dense = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const found = new Set<string>();
  for (let start = 0; start + SHINGLE <= dense.length; start += 1) found.add(dense.slice(start, start + SHINGLE));
  return found;
}
