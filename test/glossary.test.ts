import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const GLOSSARY = join(import.meta.dirname, '../docs/glossary.md');

type Row = { line: number; term: string; meaning: string };

/** The rows of all tables; a row that is not one bold term with a meaning is reported as malformed. */
function readRows(text: string): { rows: Row[]; malformed: string[] } {
  const rows: Row[] = [];
  const malformed: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('|') || /^\|(?: term |-)/.test(line)) continue;
    const [, term, meaning] = /^\| \*\*([^*|]+)\*\* \| ([^|]+) \|(?: [^|]+)? \|$/.exec(line) ?? [];
    if (term === undefined || meaning === undefined || meaning.includes('**')) malformed.push(`${index + 1}: ${line}`);
    else rows.push({ line: index + 1, term: term.toLowerCase(), meaning });
  }
  return { rows, malformed };
}

/** Terms with more than one row. */
function findDuplicates(rows: readonly Row[]): string[] {
  const groups = Object.entries(Object.groupBy(rows, ({ term }) => term));
  return groups.flatMap(([term, same = []]) =>
    same.length < 2 ? [] : `${term}: lines ${same.map(({ line }) => line).join(', ')}`,
  );
}

describe('the glossary', () => {
  const { rows, malformed } = readRows(readFileSync(GLOSSARY, 'utf8'));

  it('has one bold term and its meaning in every row', () => {
    expect(malformed).toEqual([]);
    expect(rows.length).toBeGreaterThan(100);
  });

  it('has at most 150 terms: words with their usual meaning do not belong here', () => {
    expect(rows.length).toBeLessThanOrEqual(150);
  });

  it('defines every term once', () => {
    expect(findDuplicates(rows)).toEqual([]);
  });
});

describe('the check of the glossary', () => {
  it('finds a term that is defined twice, ignoring case', () => {
    const { rows } = readRows(
      '| **page** | a web page | site |\n| **Page** | an export | |\n| **turn** | one turn | |',
    );
    expect(findDuplicates(rows)).toEqual(['page: lines 1, 2']);
  });

  it('finds rows with several terms, and terms defined inside a meaning', () => {
    const { malformed } = readRows('| **a**, **b** | two terms | |\n| **c** | a thing; a **d** is another | |');
    expect(malformed).toHaveLength(2);
  });
});
