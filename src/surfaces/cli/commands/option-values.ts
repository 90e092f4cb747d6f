import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be an integer greater than 0.');
}

/** Parses a comma-separated list. Repeating the option adds to the list. */
export function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('It must contain at least one name.');
  return [...before, ...names];
}

/** Collects the values of a repeatable option. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

export function parseTag(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(text)) return text;
  throw new InvalidArgumentError('It must consist of at most 40 letters, digits, ".", "_" and "-".');
}
