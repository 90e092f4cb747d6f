import { LEGACY_RULES } from './legacy-rules.ts';

/** What the person allowed for good: rules by their name, commands as they are, and patterns with `*`. */
export interface AllowEntries {
  add(entry: string): void;
  all(): readonly string[];
  has(entry: string): boolean;
  /** By its name, or by the words that earlier versions of this list used. */
  hasRule(rule: string): boolean;
}

export function createAllowEntries(given: Iterable<string>): AllowEntries {
  const entries = new Set<string>();
  const rules = new Set<string>();
  const add = (entry: string) => {
    entries.add(entry.trim());
    for (const rule of rulesNamed(entry.trim())) rules.add(rule);
  };
  for (const entry of given) add(entry);
  return {
    add,
    all: () => [...entries],
    has: (entry) => entries.has(entry),
    hasRule: (rule) => rules.has(rule),
  };
}

/** The rules an entry would stand for. */
export function rulesNamed(entry: string): readonly string[] {
  return [entry, ...(Object.hasOwn(LEGACY_RULES, entry) ? (LEGACY_RULES[entry] ?? []) : [])];
}

/** `git push --force *` also covers the command with nothing behind it. */
export function matchesEntry(entry: string, statement: string, flags = 's'): boolean {
  if (!/[*?]/.test(entry))
    return flags.includes('i') ? entry.toLowerCase() === statement.toLowerCase() : entry === statement;
  if (entry.endsWith(' *') && statement === entry.slice(0, -2)) return true;
  return wildcard(entry, flags.includes('i')).test(statement);
}

/** Only `*` and `?` mean something; the pattern is walked without going back further than the last `*`. */
function wildcard(pattern: string, ignoreCase: boolean): { test(text: string): boolean } {
  const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
  return {
    test(given) {
      const text = ignoreCase ? given.toLowerCase() : given;
      let [at, place, star, mark] = [0, 0, -1, 0];
      while (at < text.length) {
        if (place < wanted.length && (wanted[place] === '?' || (wanted[place] === text[at] && wanted[place] !== '*'))) {
          at += 1;
          place += 1;
        } else if (wanted[place] === '*') {
          star = place;
          mark = at;
          place += 1;
        } else if (star >= 0) {
          mark += 1;
          at = mark;
          place = star + 1;
        } else return false;
      }
      while (wanted[place] === '*') place += 1;
      return place === wanted.length;
    },
  };
}
