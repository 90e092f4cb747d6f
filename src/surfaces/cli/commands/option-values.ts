import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

/** `a,b` as a list; an option that is given twice adds to it. */
export function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('It must be at least one name.');
  return [...before, ...names];
}

/** A list of what each use of the option says. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

export function parseTag(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(text)) return text;
  throw new InvalidArgumentError('Letters, digits, ".", "_" and "-", 40 at most.');
}
